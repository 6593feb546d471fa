import { NETWORKS, type NetworkName } from '../format/networks.ts'
import { query, setQuery } from '../state/place.ts'
import { Tabs } from './tabs.tsx'

interface ChoiceProps {
  label: string
  name: string
  /** Values with their texts. The first one is the default, which the address bar leaves out. */
  options: readonly (readonly [value: string, text: string])[]
}

/** A list of values for a parameter of the address bar. */
export function Choice({ label, name, options }: ChoiceProps) {
  return (
    <select
      class="select"
      aria-label={label}
      value={choiceOf(name, options)}
      onChange={({ currentTarget }) => choose(name, options, currentTarget.value)}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** The values of a parameter of the address bar, as tabs. */
export function ChoiceTabs({ label, name, options }: ChoiceProps) {
  const value = choiceOf(name, options)
  return <Tabs {...{ label, options, value }} onChoose={(chosen) => choose(name, options, chosen)} />
}

export function choose(name: string, options: ChoiceProps['options'], value: string): void {
  setQuery({ [name]: value === options[0]?.[0] ? null : value })
}

/** Returns the value in the address bar, or the default if the address bar has none of the options. */
export function choiceOf(name: string, options: ChoiceProps['options']): string {
  const wanted = query.value.get(name)
  const [found] = options.find(([value]) => value === wanted) ?? options[0] ?? ['']
  return found
}

interface NetworkSelectProps {
  network: NetworkName
  onChoose: (network: NetworkName) => void
}

/** A list of networks, one of which is chosen. */
export function NetworkSelect({ network, onChoose }: NetworkSelectProps) {
  return (
    <select
      class="select"
      aria-label="Network"
      value={network}
      onChange={({ currentTarget }) => onChoose(currentTarget.value as NetworkName)}
    >
      {Object.entries(NETWORKS).map(([name, { label }]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  )
}

export const ALL_NETWORKS = [
  ['', 'All networks'] as const,
  ...Object.entries(NETWORKS).map(([name, { label }]) => [name, label] as const),
]

export function NetworkChoice() {
  return <Choice label="Network" name="network" options={ALL_NETWORKS} />
}
