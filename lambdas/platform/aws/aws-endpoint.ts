/**
 * Finds the URLs of AWS services by the rules of AWS's SDK. A configured URL has priority: a URL for the service over a
 * URL for all services, and a URL from the environment over a URL from the profile. Without a configured URL, the
 * caller's URL is used, or else AWS's own URL in the region: the usual URL or, if required, the URL for FIPS or for
 * IPv6.
 */

import type { AwsIdentity } from './aws-identity.ts';
import { endpointVariables, optionalVariable } from '../environment.ts';

export interface AwsAddress {
  /** Name of the service in the SDK, for example `Secrets Manager`. */
  id: string;
  /** First part of the service's host names, for example `secretsmanager`. */
  host: string;
  /** Whether the service's FIPS hosts in AWS GovCloud have no `-fips` in their names, except for dual-stack. */
  isPlainInGovCloud?: boolean;
}

/**
 * Returns the URL of a service.
 * @param where.origin URL that replaces AWS's own URL, unless a URL is configured
 * @throws {TypeError} for a configured value that is not a URL
 */
export async function endpointOf(
  service: AwsAddress,
  { region, identity, origin }: { region: string; identity: AwsIdentity; origin?: string | undefined },
): Promise<URL> {
  const { configured, ...variant } = await settingsOf(service, identity);
  return new URL(configured ?? origin ?? `https://${hostOf(service, region, variant)}`);
}

/**
 * Returns the URL of an object in S3. The name of the bucket is a part of the host name, or of the path if a configured
 * URL has an IP address.
 * @throws {TypeError} for a configured value that is not a URL
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

/** Domains of the AWS partitions, by the start of a region's name. Other regions have AWS's usual domain. */
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
