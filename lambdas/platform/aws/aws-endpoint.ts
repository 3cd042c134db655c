/**
 * Addresses of AWS services for calls that the gateway signs itself. They follow the SDK's clients. A configured
 * address comes first: that of the service before that of all services, that of the environment before that of the
 * profile. Otherwise it is AWS' own address in the region, in its variant for FIPS or IPv6.
 */

import type { AwsIdentity } from './aws-identity.ts';
import { endpointVariables, optionalVariable } from '../environment.ts';

export interface AwsAddress {
  /** The SDK's name of the service: `Secrets Manager`. */
  id: string;
  /** The first part of its hosts: `secretsmanager`. */
  host: string;
  /** Its hosts in AWS GovCloud are FIPS hosts without FIPS in the name. */
  isPlainInGovCloud?: boolean;
}

/** @param origin replaces AWS' own address, but not a configured one */
export async function endpointOf(
  service: AwsAddress,
  { region, identity, origin }: { region: string; identity: AwsIdentity; origin?: string | undefined },
): Promise<URL> {
  const { configured, ...variant } = await settingsOf(service, identity);
  return new URL(configured ?? origin ?? `https://${hostOf(service, region, variant)}`);
}

/**
 * The address of an object. S3 has a host for each bucket, also at a configured address, unless that is an IP address.
 * @throws {TypeError} for a configured address that is not a URL
 */
export async function objectEndpointOf(
  { bucket, key }: { bucket: string; key: string },
  { region, identity }: { region: string; identity: AwsIdentity },
): Promise<URL> {
  const { configured, fips, dualstack } = await settingsOf({ id: 'S3', host: 's3' }, identity);
  if (configured === undefined) {
    const host = `s3${fips ? '-fips' : ''}${dualstack ? '.dualstack' : ''}.${region}.${domainOf(region)}`;
    return new URL(`https://${bucket}.${host}/${key}`);
  }
  const url = new URL(configured);
  const path = url.pathname.replace(/\/$/, '');
  const isAddress = /^(?:[\d.]+|\[.*\])$/.test(url.hostname);
  return new URL(
    isAddress ? `${url.origin}${path}/${bucket}/${key}` : `${url.protocol}//${bucket}.${url.host}${path}/${key}`,
  );
}

interface Variant {
  fips: boolean;
  dualstack: boolean;
}

async function settingsOf(
  service: AwsAddress,
  identity: AwsIdentity,
): Promise<Variant & { configured: string | undefined }> {
  const profile = (await identity.endpoints?.(service.id)) ?? {};
  const ignores = isOn(endpointVariables.ignore) ?? profile.ignoreConfiguredEndpointUrls ?? false;
  const ofService = `${endpointVariables.url}_${service.id.toUpperCase().replaceAll(' ', '_')}`;
  const configured = optionalVariable(ofService) ?? optionalVariable(endpointVariables.url) ?? profile.endpointUrl;
  return {
    configured: ignores ? undefined : configured,
    fips: isOn(endpointVariables.fips) ?? profile.useFips ?? false,
    dualstack: isOn(endpointVariables.dualstack) ?? profile.useDualstack ?? false,
  };
}

function isOn(variable: string): boolean | undefined {
  const text = optionalVariable(variable);
  return text === undefined ? undefined : text === 'true';
}

function hostOf({ host, isPlainInGovCloud = false }: AwsAddress, region: string, { fips, dualstack }: Variant): string {
  const isPlain = isPlainInGovCloud && !dualstack && region.startsWith('us-gov-');
  const name = fips && !isPlain ? `${host}-fips` : host;
  return `${name}.${region}.${dualstack ? dualstackDomainOf(region) : domainOf(region)}`;
}

/** Domains of the partitions that have their own, by the beginning of a region. */
const partitions: [region: string, domain: string, dualstackDomain: string][] = [
  ['cn-', 'amazonaws.com.cn', 'api.amazonwebservices.com.cn'],
  ['eusc-', 'amazonaws.eu', 'api.amazonwebservices.eu'],
  ['us-iso-', 'c2s.ic.gov', 'api.aws.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov', 'api.aws.scloud'],
  ['eu-isoe-', 'cloud.adc-e.uk', 'api.cloud-aws.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov', 'api.aws.hci.ic.gov'],
];

function domainOf(region: string): string {
  return partitions.find(([start]) => region.startsWith(start))?.[1] ?? 'amazonaws.com';
}

function dualstackDomainOf(region: string): string {
  return partitions.find(([start]) => region.startsWith(start))?.[2] ?? 'api.aws';
}
