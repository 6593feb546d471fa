interface TabsProps {
  label: string
  options: readonly (readonly [value: string, text: string])[]
  value: string
  onChoose: (value: string) => void
}

/** A few values side by side, one of which is chosen. */
export function Tabs({ label, options, value, onChoose }: TabsProps) {
  return (
    <fieldset class="tabs" aria-label={label}>
      {options.map(([each, text]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChoose(each)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}
