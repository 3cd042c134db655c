import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useConsole } from '../environment.ts';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** Modal dialog. The browser keeps the focus in it, and closes it with Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const { texts } = useConsole();
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="plain" aria-label={texts.close} onClick={() => element.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmationProps {
  title: string;
  question: string;
  action: string;
  onConfirm: () => void;
  onClose: () => void;
  children?: ComponentChildren;
}

export function Confirmation({ title, question, action, onConfirm, onClose, children }: ConfirmationProps) {
  const { texts } = useConsole();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{question}</p>
      {children}
      <p class="actions">
        <button type="button" class="danger" onClick={onConfirm}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          {texts.cancel}
        </button>
      </p>
    </Dialog>
  );
}
