import type { ComponentChildren } from 'preact';
import { useConsole } from '../environment.ts';
import { ApiFailure, NoAnswer } from '../gateway-client.ts';
import type { Loaded } from '../loaded.ts';
import type { Texts } from '../texts/languages.ts';

/** Returns the message to show for a failure. The API's own messages are shown unchanged. */
export function failureMessage(failure: unknown, texts: Texts): string {
  if (failure instanceof NoAnswer) return texts.noAnswer;
  if (failure instanceof ApiFailure) return failure.message;
  return failure instanceof Error ? failure.message : String(failure);
}

export function Failure({ failure }: { failure: unknown }) {
  const { texts } = useConsole();
  if (failure === undefined || failure === null) return null;
  return (
    <p class="notice bad" role="alert">
      {failureMessage(failure, texts)}
    </p>
  );
}

/** Shows the loaded value, or why no value is loaded. */
export function WhenLoaded<Value>({
  of,
  children,
}: {
  of: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const { texts } = useConsole();
  return (
    <>
      <Failure failure={of.failure} />
      {of.value === undefined
        ? of.isLoading && (
            <p class="quiet" role="status">
              {texts.loading}
            </p>
          )
        : children(of.value)}
    </>
  );
}
