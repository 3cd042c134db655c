import { App, Tags, Validations, type AppProps } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readConfig } from './config.ts';
import { ApiStack } from './api-stack.ts';
import { BooksStack } from './books-stack.ts';
import { DataStack } from './data-stack.ts';

/** Creates the stacks of one stage. */
export function createGatewayApp(
  bundles: string,
  props: AppProps = {},
): { app: App; data: DataStack; api: ApiStack; books: BooksStack } {
  const app = new App(props);
  const config = readConfig((key) => app.node.tryGetContext(key) as unknown);
  const name = `model-gateway-${config.stage}`;
  const data = new DataStack(app, `${name}-data`, { config, description: 'Model gateway: table and secrets' });
  const api = new ApiStack(app, `${name}-api`, {
    config,
    data,
    bundles,
    description: 'Model gateway: API and workers',
  });
  const books = new BooksStack(app, `${name}-books`, {
    config,
    books: api.books,
    reviewer: api.reviewer,
    description: 'Model gateway: its books in SQL',
  });
  for (const [key, value] of Object.entries(config.tags)) Tags.of(app).add(key, value);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, data, api, books };
}
