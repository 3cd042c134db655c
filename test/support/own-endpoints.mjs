/**
 * Loaded before a sandboxed gateway (node --import): every function reaches DynamoDB at a path that is its name, so that a
 * proxy knows whose calls it sees.
 */

import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const { spawn } = childProcess;
childProcess.spawn = (command, args, options) => {
  const { AWS_LAMBDA_FUNCTION_NAME: name, DYNAMODB_ENDPOINT: endpoint } = options?.env ?? {};
  const env = name && endpoint ? { ...options.env, DYNAMODB_ENDPOINT: `${endpoint}/${name}` } : options?.env;
  return spawn(command, args, { ...options, env });
};
syncBuiltinESMExports();
