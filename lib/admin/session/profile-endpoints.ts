/** Reads endpoint settings from the caller's profile in AWS's shared configuration files. */

import { loadConfig } from '@smithy/core/config';
import type { EndpointProfile } from '../../../lambdas/platform/aws/aws-identity.ts';

type Section = Record<string, string | undefined>;

/** @param serviceId the SDK's name for the service, for example `Secrets Manager` */
export function profileEndpoints(serviceId: string): Promise<EndpointProfile> {
  return loadConfig<EndpointProfile>({
    environmentVariableSelector: () => undefined,
    configFileSelector: (profile, file = {}) => endpointProfile(serviceId, profile, file),
    default: {},
  })();
}

/** Returns a profile's settings for a service. A profile may refer to a section with one endpoint per service. */
function endpointProfile(serviceId: string, profile: Section, file: Record<string, Section>): EndpointProfile {
  const services = profile['services'] === undefined ? {} : (file[`services.${profile['services']}`] ?? {});
  const isOn = (name: string) => (profile[name] === undefined ? undefined : profile[name] === 'true');
  return {
    endpointUrl:
      services[`${serviceId.toLowerCase().replaceAll(' ', '_')}.endpoint_url`] ?? profile['endpoint_url'] ?? undefined,
    ignoreConfiguredEndpointUrls: isOn('ignore_configured_endpoint_urls'),
    useFips: isOn('use_fips_endpoint'),
    useDualstack: isOn('use_dualstack_endpoint'),
  };
}
