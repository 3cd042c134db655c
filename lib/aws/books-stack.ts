import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { ArnPrincipal, CompositePrincipal, Role, type IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { GatewayConfig } from './config.ts';
import { createQueryPolicy, createResultsBucket, createWorkgroup } from './books-queries.ts';
import { createBooksTables, databaseName } from './books-tables.ts';

export interface BooksStackProps extends StackProps {
  config: GatewayConfig;
  books: Bucket;
  reviewer: IManagedPolicy;
}

/**
 * Stack for querying the books in SQL with Amazon Athena. The gateway does not depend on this stack. If AWS rejects one
 * of these resources or permissions, only this stack is rolled back.
 */
export class BooksStack extends Stack {
  constructor(scope: Construct, id: string, { config, books, reviewer, ...props }: BooksStackProps) {
    super(scope, id, props);
    const database = databaseName(config.stage);
    createBooksTables(this, { books, database });
    const name = `model-gateway-${config.stage}-books`;
    const { maxQueryGigabytes } = config;
    const workgroup = { name, database, results: createResultsBucket(this), maxQueryGigabytes };
    createWorkgroup(this, workgroup);
    const queries = createQueryPolicy(this, { books, workgroup });
    const outputs: Record<string, readonly [value: string, description: string]> = {
      BooksWorkgroup: [name, 'Athena workgroup for reviewers'],
      BooksDatabase: [database, 'Database with the views'],
      BooksQueryPolicyArn: [
        queries.managedPolicyArn,
        'Policy that allows SQL queries; attach it to a role of billing reviewers, together with ReviewerPolicyArn',
      ],
      ...this.#reviewerRole(config, [reviewer, queries]),
    };
    for (const [key, [value, description]] of Object.entries(outputs)) new CfnOutput(this, key, { value, description });
  }

  /** Creates a role that the configured principals may assume, if there are any. */
  #reviewerRole({ reviewers }: GatewayConfig, policies: IManagedPolicy[]): Record<string, readonly [string, string]> {
    if (reviewers.length === 0) return {};
    const role = new Role(this, 'ReviewerRole', {
      description: 'Reads the books of the model gateway, and queries them in SQL; nothing else.',
      assumedBy: new CompositePrincipal(...reviewers.map((arn) => new ArnPrincipal(arn))),
      managedPolicies: policies,
    });
    return { ReviewerRoleArn: [role.roleArn, 'Role that the principals in gateway:reviewers may assume'] };
  }
}
