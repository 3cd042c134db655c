import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { BasePathMapping, DomainName, EndpointType, SecurityPolicy, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { errorKinds, type ErrorKind } from '../../lambdas/platform/errors.ts';

/** Base path under the custom domain, equal to the stage name. */
const BASE_PATH = 'v1';

/**
 * Adds a custom domain name to the API.
 * @param certificateArn ACM certificate in the region of the deployment
 */
export function addDomain(stack: Stack, api: RestApi, domainName: string, certificateArn: string): void {
  const domain = new DomainName(stack, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(stack, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new BasePathMapping(stack, 'BasePath', {
    domainName: domain,
    restApi: api,
    basePath: BASE_PATH,
    stage: api.deploymentStage,
  });
  new CfnOutput(stack, 'DomainTarget', {
    value: domain.domainNameAliasDomainName,
    description: `Target of the CNAME record of ${domainName}`,
  });
}

/** Headers that may contain a key. The firewall counts only requests with one of these headers. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'xi-api-key'] as const;
const WINDOW_SECONDS = 300;
const REFUSAL = 'TooManyRequests';

/**
 * Blocks a key's requests beyond a limit before a function runs.
 *
 * Weakness: AWS counts approximately and with a delay, so this is a safety limit, not an exact quota. The function URL
 * is not behind this firewall.
 * @param requestsPerKey maximum in any five minutes
 */
export function addRateRule(stack: Stack, api: RestApi, requestsPerKey: number): void {
  const firewall = new CfnWebACL(stack, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibleAs('Firewall'),
    customResponseBodies: { [REFUSAL]: { contentType: 'APPLICATION_JSON', content: refusalText() } },
    rules: KEY_HEADERS.map((name, priority) => ({
      name: `requests-by-${name}`,
      priority,
      action: {
        block: {
          customResponse: {
            responseCode: errorKinds.rate_limit_exceeded.status,
            customResponseBodyKey: REFUSAL,
            responseHeaders: [{ name: 'retry-after', value: String(WINDOW_SECONDS) }],
          },
        },
      },
      statement: {
        rateBasedStatement: {
          limit: requestsPerKey,
          evaluationWindowSec: WINDOW_SECONDS,
          aggregateKeyType: 'CUSTOM_KEYS',
          customKeys: [{ header: { name, textTransformations: [{ priority: 0, type: 'NONE' }] } }],
        },
      },
      visibilityConfig: visibleAs(`RequestsBy${name}`),
    })),
  });
  new CfnWebACLAssociation(stack, 'FirewallOfApi', {
    webAclArn: firewall.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
}

/** Returns an error in the gateway's format, with a constant instead of the request id. */
function refusalText(): string {
  const kind: ErrorKind = 'rate_limit_exceeded';
  const { status: code, messagesType: type } = errorKinds[kind];
  const message =
    'This key sends more requests than the operator of this gateway allows in five minutes. Wait, or ask the operator for a higher limit.';
  const metadata = { error_type: kind };
  return JSON.stringify({ type: 'error', error: { type, code, message, metadata }, request_id: 'firewall' });
}

/** Disables the sampling of requests, because their headers contain keys. */
function visibleAs(metricName: string) {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
