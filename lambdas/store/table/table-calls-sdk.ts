import type { AwsCall } from '../../platform/aws/aws-call.ts';
import { openSdkTableCalls, sdkClient } from './sdk-table.ts';

/** The same as in table-calls.ts, through AWS' own client. @param endpoint of an emulator */
export function openTableCalls(endpoint: string | undefined): AwsCall {
  return openSdkTableCalls(sdkClient(endpoint));
}
