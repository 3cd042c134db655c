import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { ArnPrincipal, CompositePrincipal, Role, type IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { GatewayConfig } from './config.ts';
import { createQueryPolicy, createResultsBucket, createWorkgroup } from './books-queries.ts';
import { createBooksTables, databaseName } from './books-tables.ts';

export interface BooksStackProps extends StackProps {
  config: GatewayConfig;
  /** The exports, and the policy that reads them. */
  books: Bucket;
  reviewer: IManagedPolicy;
}

/**
 * The books in SQL: what Amazon Athena needs to read the exports, and who may ask. A stack of its own, because the gateway needs none of it: a
 * catalog or a right that an account refuses takes nothing back but this. It keeps nothing that cannot be made again.
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
      BooksWorkgroup: [name, 'The workgroup of Athena in which reviewers ask'],
      BooksDatabase: [database, 'The database that has the views'],
      BooksQueryPolicyArn: [
        queries.managedPolicyArn,
        'The rights to ask in SQL, to attach to a role of billing reviewers beside ReviewerPolicyArn',
      ],
      ...this.#reviewerRole(config, [reviewer, queries]),
    };
    for (const [key, [value, description]] of Object.entries(outputs)) new CfnOutput(this, key, { value, description });
  }

  /** A role for those whom the operator names; without a name nobody has one. */
  #reviewerRole({ reviewers }: GatewayConfig, policies: IManagedPolicy[]): Record<string, readonly [string, string]> {
    if (reviewers.length === 0) return {};
    const role = new Role(this, 'ReviewerRole', {
      description: 'Reads the books of the model gateway, and asks them in SQL; nothing else.',
      assumedBy: new CompositePrincipal(...reviewers.map((arn) => new ArnPrincipal(arn))),
      managedPolicies: policies,
    });
    return { ReviewerRoleArn: [role.roleArn, 'The role that gateway:reviewers may assume'] };
  }
}
