/**
 * Bar of the spent and held shares of a limit, or of one value on a scale. Screen readers skip it, because the figures
 * are next to it.
 */
export function Bar({ spent, held }: { spent: number; held: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="all" width="100" height="6" />
      <rect class="spent" width={100 * spent} height="6" />
      <rect class="held" x={100 * spent} width={100 * Math.min(held, 1 - spent)} height="6" />
    </svg>
  );
}
