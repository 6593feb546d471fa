import { DEFAULT_NETWORK, NETWORK_NAMES, type NetworkName, ZERO_ADDRESS } from '@dexfeed/dex'
import { z } from 'zod'
import { readAddress } from './checksum-address.ts'

export const NETWORK_VALUES: readonly NetworkName[] = [
  DEFAULT_NETWORK,
  ...NETWORK_NAMES.filter((network) => network !== DEFAULT_NETWORK),
]
export type NetworkValue = NetworkName

const MESSAGE = `network must be given once, as one of ${NETWORK_VALUES.join(', ')}`

export const networkParameter = z
  .string({ error: MESSAGE })
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(NETWORK_VALUES, { error: MESSAGE }))
  .meta({ enum: [...NETWORK_VALUES], description: 'The blockchain network, in any case.' })

/** The address is in lower case; the symbol is as written. */
export type TokenReference = { kind: 'address'; address: `0x${string}` } | { kind: 'symbol'; symbol: string }

const MAX_LENGTH = 128

/** Accepts a symbol or an address (see `readAddress`). Empty text is refused, or means the coin. */
export function tokenParameter(name: string, action: 'sell' | 'buy', empty: 'refused' | 'coin' = 'refused') {
  return z
    .string({ error: ({ input }) => (input === undefined ? `${name} is missing` : `${name} must be given once`) })
    .transform((text, context): TokenReference => {
      const fail = (message: string) => {
        context.addIssue({ code: 'custom', message: `${name} ${message}`, input: text })
        return z.NEVER
      }
      if (text === '') return empty === 'coin' ? { kind: 'address', address: ZERO_ADDRESS } : fail('is empty')
      if (text.length > MAX_LENGTH) return fail(`is longer than ${MAX_LENGTH} characters`)
      if (/\p{Cc}|\p{Cs}/u.test(text)) return fail('contains control characters')
      if (!/^0x/i.test(text)) return { kind: 'symbol', symbol: text }
      const address = readAddress(text)
      if (address === null) return fail('is not a valid contract address: 0x and 40 hex digits, mixed case by EIP-55')
      return { kind: 'address', address }
    })
    .meta({
      minLength: empty === 'coin' ? 0 : 1,
      maxLength: MAX_LENGTH,
      description:
        `Contract address or symbol of the token to ${action}. If a symbol is not supported, use the contract address ` +
        'instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address' +
        (empty === 'coin' ? ', or leave it empty.' : '.'),
    })
}
