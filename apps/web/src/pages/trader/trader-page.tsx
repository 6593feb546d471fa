import { FIRST_NETWORK, networkOf } from '../../format/networks.ts'
import { shortHex } from '../../format/short-hex.ts'
import type { PathParts } from '../../state/place.ts'
import { query } from '../../state/place.ts'
import { useTitle } from '../../state/title.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ExplorerLink } from '../../ui/links.tsx'
import { TokenMark } from '../../ui/token-mark.tsx'
import { TradesCard } from '../../ui/trades-card.tsx'

/** The trades that an account signed. */
export function TraderPage({ parts: { address = '' } }: { parts: PathParts }) {
  useTitle(`Trader ${shortHex(address)}`)
  return (
    <>
      <h1>
        <TokenMark address={address} />
        Trader <code>{shortHex(address)}</code>
      </h1>
      <p class="lead">
        <span>The trades that this account signed, newest first.</span>
        <ExplorerLink network={networkOf(query.value.get('network')) ?? FIRST_NETWORK} kind="address" id={address} />
        <CopyButton text={address} label="Copy address" />
      </p>
      <TradesCard network={null} trader={address} />
    </>
  )
}
