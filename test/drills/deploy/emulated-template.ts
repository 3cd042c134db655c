export interface EmulatedTemplate {
  Resources: Record<string, EmulatedResource>;
  Outputs?: Record<string, { Value: unknown }>;
}

export interface EmulatedResource {
  Type: string;
  Properties?: Record<string, unknown>;
  DependsOn?: string | string[];
}
