import type { ComponentChildren } from 'preact'
import { networkOf } from '../../format/networks.ts'
import { query } from '../../state/place.ts'
import { Choice, ChoiceTabs, choiceOf, NetworkChoice } from '../../ui/choice.tsx'
import { WINDOWS } from '../../ui/windows.ts'

const USD = ['', '1000', '10000', '100000', '1000000'] as const
const SHORT: Readonly<Record<string, string>> = { 1000: '$1K', 10000: '$10K', 100000: '$100K', 1000000: '$1M' }
const usdOptions = (what: string) =>
  USD.map((usd) => [usd, usd === '' ? `Any ${what}` : `${what} from ${SHORT[usd]}`] as const)

const VOLUME = usdOptions('volume')
const LIQUIDITY = usdOptions('liquidity')

/** Returns the filters that both lists have, as parameters of the API. */
export function chosenFilters() {
  const volume = choiceOf('min_volume', VOLUME)
  const liquidity = choiceOf('min_liquidity', LIQUIDITY)
  const network = networkOf(query.value.get('network'))
  return {
    ...(network !== null && { network }),
    ...(volume !== '' && { min_volume: volume }),
    ...(liquidity !== '' && { min_liquidity: liquidity }),
  }
}

/** What a list shows. All of it is in the address bar. */
export function Filters({ children }: { children?: ComponentChildren }) {
  return (
    <div class="filters">
      <ChoiceTabs label="Time over which trades are counted" name="window" options={WINDOWS} />
      <NetworkChoice />
      <Choice label="Least volume of 24 hours" name="min_volume" options={VOLUME} />
      <Choice label="Least liquidity" name="min_liquidity" options={LIQUIDITY} />
      {children}
    </div>
  )
}
