import type * as z from 'zod'
import type { Address } from '../chain/hex.ts'
import type { ListedToken } from './deployment.ts'
import type { tokenSchema } from './deployment-schema.ts'

/** One token per address: an entry that names a token again only adds its symbols, compared without case, as aliases. */
export function mergeTokens(entries: readonly z.infer<typeof tokenSchema>[]): ListedToken[] {
  const merged = new Map<Address, ListedToken & { aliases: string[] }>()
  for (const { address, symbol, name = symbol, decimals, aliases = [] } of entries) {
    const token = merged.get(address) ?? { address, symbol, name, decimals, aliases: [] }
    merged.set(address, token)
    const known = new Set([token.symbol, ...token.aliases].map((each) => each.toUpperCase()))
    for (const each of [symbol, ...aliases]) {
      if (known.has(each.toUpperCase())) continue
      known.add(each.toUpperCase())
      token.aliases.push(each)
    }
  }
  return [...merged.values()].map(({ aliases, ...token }) => (aliases.length > 0 ? { ...token, aliases } : token))
}
