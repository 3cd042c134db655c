import { nowMs } from '../clock.ts';
import { awsVariables, containerVariables, optionalVariable, requireVariable } from '../environment.ts';

/** Keys that sign requests to AWS. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Endpoint settings of a profile in the shared configuration files of AWS. */
export interface EndpointProfile {
  endpointUrl?: string | undefined;
  ignoreConfiguredEndpointUrls?: boolean | undefined;
  useFips?: boolean | undefined;
  useDualstack?: boolean | undefined;
}

/** Who asks AWS, and where. */
export interface AwsIdentity {
  credentials: () => Promise<AwsCredentials>;
  region: () => Promise<string>;
  /** Endpoint settings of a profile for a service, by the SDK's name of the service. Functions have no profile. */
  endpoints?: (serviceId: string) => Promise<EndpointProfile>;
}

/** Keys of a container are asked for again this long before they end, as AWS' own clients do. */
const REFRESH_BEFORE_MS = 5 * 60_000;

/** A function runs with its own role, in its own region. */
const roleIdentity: AwsIdentity = {
  credentials: ownCredentials,
  region: async () => requireVariable(awsVariables.region),
};
let current = roleIdentity;

/** Who this process is to AWS: the role of a function, unless it runs as somebody else. */
export const ownIdentity: AwsIdentity = {
  credentials: () => current.credentials(),
  region: () => current.region(),
  endpoints: async (serviceId) => (await current.endpoints?.(serviceId)) ?? {},
};

/** From here on this process is somebody else to AWS: a command runs as the person who calls it. */
export function runAs(identity: AwsIdentity): void {
  current = identity;
}

/**
 * The keys of the role that this process runs with. Lambda puts them in the environment, where they are read each time; a
 * container has an address there that gives them out for some hours (Amazon ECS, EKS with Pod Identity).
 * @throws {Error} where the environment has neither, or the address gives none.
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

/** The address is read in single flight: requests that arrive together share one reading, and none waits for it while the known keys still hold. */
async function containersCredentials(): Promise<AwsCredentials> {
  const leftMs = knownContainer?.expiration ? knownContainer.expiration.getTime() - nowMs() : 0;
  if (knownContainer && leftMs > REFRESH_BEFORE_MS) return knownContainer;
  readingContainer ??= readContainers()
    .then((read) => (knownContainer = read))
    .finally(() => (readingContainer = undefined));
  if (!knownContainer || leftMs <= 0) return readingContainer;
  // Keys that hold are used; a reading that fails is repeated with the next request.
  readingContainer.catch(() => undefined);
  return knownContainer;
}

/** The client of AWS reads the address and its token from the environment, and checks both; on Lambda it is never loaded. */
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
