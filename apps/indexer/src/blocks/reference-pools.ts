import type { Chain } from '@dexfeed/chain'
import {
  type Address,
  type Deployment,
  type Hex,
  protocolOf,
  type ReferenceConfig,
  type ReferencePool,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import type { PoolRegistry } from '../pools/pool-registry.ts'

/** The anchors and the pools that give their prices, as the configured factories answer. */
export async function findReferencePools(
  chain: Pick<Chain, 'callMany' | 'callElsewhere'>,
  deployment: Deployment,
  { known, tokens: reader }: Pick<PoolRegistry, 'known' | 'tokens'>,
): Promise<{ config: ReferenceConfig; pools: ReferencePool[] }> {
  const { wrappedNative, stablecoins, anchors, dexes } = deployment
  const tokens = [...new Set([wrappedNative, ...stablecoins, ...anchors])]
  await reader.read(tokens, 'latest')
  const decimals = new Map(
    tokens.flatMap((token): [Address, number][] => {
      const own = known.token(token)?.decimals ?? null
      return own === null ? [] : [[token, own]]
    }),
  )
  const questions = pairsOf(tokens, stablecoins).flatMap((pair) =>
    dexes.flatMap(({ kind, factory }) =>
      protocolOf(kind)
        .lookupCalls(...pair)
        .map((data) => ({ to: factory, data, pair })),
    ),
  )
  const answers = await chain.callMany(questions, 'latest')
  // A price must not hang on one denial.
  const denied = questions.filter((_, index) => addressIn(answers[index] ?? null) === null)
  const again = denied.length === 0 ? null : await chain.callElsewhere(denied, 'latest')
  const elsewhere = new Map(denied.map((question, index) => [question, again?.[index] ?? null]))
  const pools = questions.flatMap((question, index): ReferencePool[] => {
    const { pair } = question
    const address = addressIn(answers[index] ?? null) ?? addressIn(elsewhere.get(question) ?? null)
    const [token0, token1] = pair
    return address === null ? [] : [{ address, token0, token1 }]
  })
  return { config: { wrappedNative, stablecoins, anchors, decimals }, pools }
}

/** Unordered pairs of which one is a stablecoin, each in the order of a pool's token0 and token1. */
function pairsOf(tokens: readonly Address[], stablecoins: readonly Address[]): [Address, Address][] {
  return tokens.flatMap((a, index) =>
    tokens
      .slice(index + 1)
      .filter((b) => stablecoins.includes(a) || stablecoins.includes(b))
      .map((b): [Address, Address] => (a < b ? [a, b] : [b, a])),
  )
}

function addressIn(answer: Hex | null): Address | null {
  if (answer === null || answer.length !== 66) return null
  const address: Address = `0x${answer.slice(26)}`
  return address === ZERO_ADDRESS ? null : address
}
