/**
 * Preloaded module (node --import) of a sandboxed gateway, whose functions then call DynamoDB at a path with their
 * name, and other services at a port of their own, so that proxies can identify the caller. It writes the real endpoint
 * of SQS and S3 to a file.
 */

import childProcess from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { spawn } = childProcess;
const ports = JSON.parse(process.env.TEST_FUNCTION_PORTS ?? '{}');

childProcess.spawn = (command, args, options) => {
  const { AWS_LAMBDA_FUNCTION_NAME: name, DYNAMODB_ENDPOINT: table, SQS_ENDPOINT: services } = options?.env ?? {};
  if (!name || !table) return spawn(command, args, options);
  writeFileSync(process.env.TEST_SERVICES_FILE, services);
  const own = `http://127.0.0.1:${ports[name]}`;
  const env = {
    ...options.env,
    DYNAMODB_ENDPOINT: `${table}/${name}`,
    SQS_ENDPOINT: own,
    S3_ENDPOINT: own,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: own,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'us-east-1',
  };
  return spawn(command, args, { ...options, env });
};
syncBuiltinESMExports();
