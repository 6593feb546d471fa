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

/** Refuses texts of another form, and a parameter that is given twice. */
export function textParameter(name: string, what: string, form: RegExp) {
  const error = `${name} must be given once, as ${what}`
  return z.string({ error }).regex(form, { error })
}

/** Reads a number from 1 to `max`. @param form its digits */
export function countParameter(name: string, form: RegExp, max: number) {
  const error = `${name} must be given once, as a whole number from 1 to ${max}`
  return z
    .string({ error })
    .regex(form, { error })
    .transform(Number)
    .refine((count) => count <= max, { error })
}

export function choiceParameter<const Values extends readonly string[]>(
  name: string,
  values: Values,
  what = `one of ${values.join(', ')}`,
) {
  return z.enum(values, { error: `${name} must be given once, as ${what}` })
}

export function flagParameter(name: string, description: string) {
  return choiceParameter(name, ['true', 'false'], 'true or false')
    .transform((text) => text === 'true')
    .optional()
    .meta({ enum: ['true', 'false'], description })
}

/** A token that a request names by its symbol, as written. */
export class TokenSymbol {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A token as a request names it: by its address in lower case, or by its symbol. */
export type TokenReference = `0x${string}` | TokenSymbol

const MAX_LENGTH = 128

type Empty = 'refused' | 'coin'

/** Accepts a symbol or an address (see `readAddress`). Empty text is refused, or means the coin. */
export function tokenParameter(name: string, description: string, empty: Empty = 'refused') {
  return z
    .string({ error: ({ input }) => (input === undefined ? `${name} is missing` : `${name} must be given once`) })
    .transform((text, context) => readToken(name, text, { empty, context }))
    .meta({
      minLength: empty === 'coin' ? 0 : 1,
      maxLength: MAX_LENGTH,
      description:
        `${description}. If a symbol is not supported, use the contract address instead. For the native coin, use its ` +
        `symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address${empty === 'coin' ? ', or leave it empty.' : '.'}`,
    })
}

/** Accepts up to `max` tokens, separated by commas; an empty one is the coin. */
export function tokensParameter(name: string, description: string, max: number) {
  const message = `${name} must be given once, as 1 to ${max} symbols or addresses, separated by commas`
  return z
    .string({ error: message })
    .transform((text, context): TokenReference[] => {
      const texts = text.split(',', max + 1)
      if (texts.length <= max) return readTokens(name, texts, context)
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    })
    .meta({
      description: `${description}: up to ${max} symbols or contract addresses, separated by commas. ${COIN}`,
      example: 'WBNB,USDT',
    })
}

const COIN = 'The coin is its symbol, the zero address, or empty'

/** Accepts a list of up to `max` tokens in a JSON body; an empty one is the coin. */
export function tokenList(name: string, description: string, max: number) {
  const message = `${name} must be a list of 1 to ${max} symbols or addresses`
  return z
    .array(z.string({ error: 'must be a text' }), { error: message })
    .min(1, { error: message })
    .max(max, { error: message })
    .transform((texts, context) => readTokens(name, texts, context))
    .meta({ description: `${description}: symbols or contract addresses. ${COIN}` })
}

function readTokens(name: string, texts: readonly string[], context: z.RefinementCtx): TokenReference[] {
  return texts.map((text, index) =>
    readToken(texts.length === 1 ? name : `${name}[${index}]`, text, { empty: 'coin', context }),
  )
}

function readToken(
  name: string,
  text: string,
  { empty, context }: { empty: Empty; context: z.RefinementCtx },
): TokenReference {
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message: `${name} ${message}`, input: text })
    return z.NEVER
  }
  if (text === '') return empty === 'coin' ? ZERO_ADDRESS : fail('is empty')
  if (text.length > MAX_LENGTH) return fail(`is longer than ${MAX_LENGTH} characters`)
  if (/\p{Cc}|\p{Cs}/u.test(text)) return fail('contains control characters')
  if (!/^0x/i.test(text)) return new TokenSymbol(text)
  const address = readAddress(text)
  return address ?? fail('is not a valid contract address: 0x and 40 hex digits, mixed case by EIP-55')
}

export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}
