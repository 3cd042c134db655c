import { useState } from 'preact/hooks';
import { useConsole } from '../environment.ts';

export function Copyable({ text, label }: { text: string; label: string }) {
  const { texts } = useConsole();
  const [notice, setNotice] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setNotice(texts.copied);
    } catch {
      // Browsers only allow copying over TLS or on localhost, for example.
      setNotice(texts.notCopied);
    }
  };
  return (
    <div class="copyable">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <button type="button" aria-label={`${texts.copy}: ${label}`} onClick={() => void copy()}>
        {texts.copy}
      </button>
      <span role="status">{notice}</span>
    </div>
  );
}
