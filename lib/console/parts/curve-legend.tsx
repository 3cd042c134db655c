/** Caption of a plot, with the color of each curve or part. */
export function CurveLegend({ names }: { names: readonly string[] }) {
  return (
    <figcaption class="legend">
      {names.map((name, index) => (
        <span key={name}>
          <svg viewBox="0 0 12 12" class={`swatch curve-${index + 1}`} aria-hidden="true">
            <rect width="12" height="12" rx="3" />
          </svg>
          {name}
        </span>
      ))}
    </figcaption>
  );
}
