import { nowMs } from '../clock.ts';
import { awsVariables, containerVariables, optionalVariable, requireVariable } from '../environment.ts';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface EndpointProfile {
  endpointUrl?: string | undefined;
  ignoreConfiguredEndpointUrls?: boolean | undefined;
  useFips?: boolean | undefined;
  useDualstack?: boolean | undefined;
}

export interface AwsIdentity {
  credentials: () => Promise<AwsCredentials>;
  region: () => Promise<string>;
  /**
   * Returns the settings of a service's URL in the current profile of AWS's configuration files.
   * @param serviceId name of the service in the SDK, such as `Secrets Manager`
   */
  endpoints?: (serviceId: string) => Promise<EndpointProfile>;
}

/** Time in ms before the expiry of a container's credentials at which they are read again. */
const REFRESH_BEFORE_MS = 5 * 60_000;

const roleIdentity: AwsIdentity = {
  credentials: ownCredentials,
  region: async () => requireVariable(awsVariables.region),
};
let current = roleIdentity;

/** Identity with which this process calls AWS. `runAs` changes it. */
export const ownIdentity: AwsIdentity = {
  credentials: () => current.credentials(),
  region: () => current.region(),
  endpoints: async (serviceId) => (await current.endpoints?.(serviceId)) ?? {},
};

/** Sets the identity with which this process calls AWS. */
export function runAs(identity: AwsIdentity): void {
  current = identity;
}

/**
 * Returns the credentials of this process's role. In a Lambda function they are in the environment. In a container
 * (Amazon ECS, or EKS with Pod Identity), the environment has a URL that returns credentials.
 * @throws {Error} if the environment has neither credentials nor a URL, or if the URL returns no credentials
 */
async function ownCredentials(): Promise<AwsCredentials> {
  const accessKeyId = optionalVariable(awsVariables.accessKeyId);
  if (accessKeyId === undefined && isContainer()) return containersCredentials();
  const sessionToken = optionalVariable(awsVariables.sessionToken);
  return {
    accessKeyId: requireVariable(awsVariables.accessKeyId),
    secretAccessKey: requireVariable(awsVariables.secretAccessKey),
    ...(sessionToken ? { sessionToken } : {}),
  };
}

function isContainer(): boolean {
  return [containerVariables.relativeUri, containerVariables.fullUri].some(
    (name) => optionalVariable(name) !== undefined,
  );
}

type ContainerCredentials = AwsCredentials & { expiration?: Date };

let knownContainer: ContainerCredentials | undefined;
let readingContainer: Promise<ContainerCredentials> | undefined;

/** Returns a container's credentials. While the known credentials are valid, no caller waits for the read. */
async function containersCredentials(): Promise<AwsCredentials> {
  const leftMs = knownContainer?.expiration ? knownContainer.expiration.getTime() - nowMs() : 0;
  if (knownContainer && leftMs > REFRESH_BEFORE_MS) return knownContainer;
  readingContainer ??= readContainers()
    .then((read) => (knownContainer = read))
    .finally(() => (readingContainer = undefined));
  if (!knownContainer || leftMs <= 0) return readingContainer;
  // The known credentials are still valid. If the read fails, the next caller reads them again.
  readingContainer.catch(() => undefined);
  return knownContainer;
}

/** Reads a container's credentials with AWS's client, which checks the URL and its token. */
async function readContainers(): Promise<ContainerCredentials> {
  const { fromHttp } = await import('@aws-sdk/credential-provider-http');
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = await fromHttp()();
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken ? { sessionToken } : {}),
    ...(expiration ? { expiration } : {}),
  };
}
