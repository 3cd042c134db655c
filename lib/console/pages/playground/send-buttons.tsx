import { useConsole } from '../../environment.ts';

interface SendButtonsProps {
  canSend: boolean;
  isRunning: boolean;
  onStop: () => void;
}

/** The buttons at the end of a form that sends a request. */
export function SendButtons({ canSend, isRunning, onStop }: SendButtonsProps) {
  const { texts } = useConsole();
  return (
    <p class="actions">
      <button type="submit" class="main" disabled={!canSend}>
        {texts.send}
      </button>
      <button type="button" disabled={!isRunning} onClick={onStop}>
        {texts.stop}
      </button>
    </p>
  );
}
