import { useId, useState } from 'preact/hooks';

interface FileFieldProps {
  label: string;
  /** Accepted media types. */
  accept: string;
  maxBytes: number;
  tooLarge: string;
  /** @param file undefined if no file of the right size is chosen */
  onFile: (file: File | undefined) => void;
}

export function FileField({ label, accept, maxBytes, tooLarge, onFile }: FileFieldProps) {
  const id = useId();
  const [notice, setNotice] = useState('');
  const choose = (file: File | undefined) => {
    const isTooLarge = file !== undefined && file.size > maxBytes;
    setNotice(isTooLarge ? tooLarge : file ? '✓' : '');
    onFile(isTooLarge ? undefined : file);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="file" accept={accept} onChange={({ currentTarget }) => choose(currentTarget.files?.[0])} />
      <small role="status">{notice}</small>
    </div>
  );
}
