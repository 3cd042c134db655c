import { awsVariables, optionalVariable, requireVariable } from './environment.ts';

/** Keys that sign requests to AWS. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Who asks AWS, and where. */
export interface AwsIdentity {
  credentials: () => Promise<AwsCredentials>;
  region: () => Promise<string>;
}

/** The keys of the role that a function runs with: Lambda puts them in the environment, and there they are read each time. */
export function ownRole(): AwsCredentials {
  const sessionToken = optionalVariable(awsVariables.sessionToken);
  return {
    accessKeyId: requireVariable(awsVariables.accessKeyId),
    secretAccessKey: requireVariable(awsVariables.secretAccessKey),
    ...(sessionToken ? { sessionToken } : {}),
  };
}

/** The function's own role, in its own region. */
export const ownIdentity: AwsIdentity = {
  credentials: async () => ownRole(),
  region: async () => requireVariable(awsVariables.region),
};
