import { useState } from 'preact/hooks';
import { useConsole } from '../environment.ts';
import { ApiFailure, openClient } from '../gateway-client.ts';
import { failureMessage } from '../parts/notice.tsx';
import { TextField } from '../parts/fields.tsx';

/** Form for a management key, which is verified with a request. */
export function SignIn({ notice, onSignedIn }: { notice: string | undefined; onSignedIn: (key: string) => void }) {
  const { texts } = useConsole();
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState(notice);
  const [isBusy, setIsBusy] = useState(false);
  const signIn = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    try {
      const trimmed = key.trim();
      // A key consists of visible ASCII characters, and many other characters cannot be sent in a header.
      if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new ApiFailure(401, undefined);
      await openClient(trimmed).read('/credits');
      onSignedIn(trimmed);
    } catch (error) {
      setFailure(whySignInFailed(error));
      setIsBusy(false);
    }
  };
  const whySignInFailed = (error: unknown) => {
    if (error instanceof ApiFailure && error.status === 401) return texts.wrongKey;
    if (error instanceof ApiFailure && error.status === 403) return texts.inferenceKeyInstead;
    return failureMessage(error, texts);
  };
  return (
    <main class="sign-in">
      <h1>{texts.signIn}</h1>
      <p>{texts.signInHint}</p>
      <form onSubmit={(event) => void signIn(event)}>
        <TextField label={texts.managementKey} type="password" value={key} onInput={setKey} isRequired />
        {failure !== undefined && (
          <p class="notice bad" role="alert">
            {failure}
          </p>
        )}
        <button type="submit" class="main" disabled={isBusy}>
          {texts.signIn}
        </button>
      </form>
      <p class="quiet">{texts.keyStaysInTab}</p>
    </main>
  );
}
