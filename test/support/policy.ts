/** Evaluates resource policies as AWS does, for the features in the templates; other features cause an error. */

export interface Statement {
  Effect: 'Allow' | 'Deny';
  Principal: unknown;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

export interface Access {
  /** Service that makes the call, for example `cloudwatch.amazonaws.com`. */
  service: string;
  action: string;
  resource: unknown;
  /** Condition keys, for example `aws:SourceAccount`. */
  context: Record<string, unknown>;
}

/** Decides whether statements allow an access. A denying statement overrides allowing statements. */
export function decide(statements: readonly Statement[], access: Access): 'allowed' | 'denied' | 'not allowed' {
  const applying = statements.filter((statement) => applies(statement, access));
  if (applying.some(({ Effect }) => Effect === 'Deny')) return 'denied';
  return applying.length > 0 ? 'allowed' : 'not allowed';
}

function applies(statement: Statement, { service, action, resource, context }: Access): boolean {
  const actions = [statement.Action].flat();
  return (
    isPrincipal(statement.Principal, service) &&
    actions.some((named) => matches(named, action)) &&
    (same(statement.Resource, resource) || statement.Resource === '*') &&
    Object.entries(statement.Condition ?? {}).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, context[key])),
    )
  );
}

function isPrincipal(principal: unknown, service: string): boolean {
  if (principal === '*') return true;
  const { Service, AWS, ...other } = principal as { Service?: unknown; AWS?: unknown };
  if (Object.keys(other).length > 0) throw new Error(`Not known here: ${JSON.stringify(principal)}`);
  return [Service].flat().includes(service) || AWS === '*';
}

function matches(named: string, action: string): boolean {
  return named === action || (named.endsWith('*') && action.startsWith(named.slice(0, -1)));
}

function holds(operator: string, wanted: unknown, actual: unknown): boolean {
  switch (operator) {
    case 'StringEquals':
      return [wanted].flat().some((value) => same(value, actual));
    case 'Bool':
      return wanted === actual;
    default:
      throw new Error(`Not known here: ${operator}`);
  }
}

/** Whether two values are equal. Values in templates may be references, so their JSON is compared. */
function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
