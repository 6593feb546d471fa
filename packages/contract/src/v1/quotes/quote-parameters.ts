import { z } from 'zod'
import { choiceParameter, textParameter, tokenParameter } from '../../parameters.ts'
import { POOL_FORM, PROTOCOL_FORM } from '../parameters.ts'

const SIDES = ['in', 'out'] as const
const AMOUNT = 'a positive decimal number like 1.5, without exponent'
const DECIMAL = /^\d{1,78}(\.\d{1,78})?$/
const RAW_MESSAGE = 'amount_raw must be given once, as a positive whole number below 2^256'
const BPS = /^(0|[1-9]\d{0,3})$/
const MAX_NAMES = 32
const PROTOCOLS_MESSAGE = `protocols must be given once, as 1 to ${MAX_NAMES} names of DEXes, separated by commas`
const POOLS_MESSAGE = `exclude_pools must be given once, as 1 to ${MAX_NAMES} identifiers of pools, separated by commas`

const POOL = new RegExp(`^${POOL_FORM}$`)

function countParameter(name: string, max: number, description: string) {
  const message = `${name} must be given once, as a whole number from 1 to ${max}`
  const values = Array.from({ length: max }, (_, at) => String(at + 1)) as [string, ...string[]]
  return z.enum(values, { error: message }).transform(Number).optional().meta({ enum: values, description })
}

function itemsParameter(form: RegExp, message: string, meta: { description: string; example: string }) {
  return z
    .string({ error: message })
    .transform((text, context): readonly string[] => {
      const items = text.split(',', MAX_NAMES + 1)
      if (items.length <= MAX_NAMES && items.every((item) => form.test(item))) return [...new Set(items)]
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    })
    .optional()
    .meta(meta)
}

const TOKEN_TO = 'Contract address or symbol of the token to'

export const quoteAliases = { sellToken: 'sell', buyToken: 'buy' }

export const quoteParameters = {
  sell: tokenParameter('sell', `${TOKEN_TO} sell; \`sellToken\` means the same`, 'coin'),
  buy: tokenParameter('buy', `${TOKEN_TO} buy; \`buyToken\` means the same`, 'coin'),
  amount: textParameter('amount', AMOUNT, DECIMAL)
    .refine((text) => /[1-9]/.test(text), { error: `amount must be given once, as ${AMOUNT}` })
    .optional()
    .meta({
      pattern: DECIMAL.source,
      description:
        'Whole units of the token sold (`side=in`) or bought (`side=out`), with at most as many fractional digits as the ' +
        'token has decimals. Either this or `amount_raw` must be given',
      example: '1.5',
    }),
  amount_raw: z
    .string({ error: RAW_MESSAGE })
    .refine((text) => /^[1-9]\d{0,77}$/.test(text) && BigInt(text) >> 256n === 0n, { error: RAW_MESSAGE })
    .optional()
    .meta({
      pattern: '^[1-9]\\d{0,77}$',
      description: 'The same amount in base units',
      example: '1500000000000000000',
    }),
  side: choiceParameter('side', SIDES, 'in or out')
    .optional()
    .meta({
      enum: [...SIDES],
      description: '`in` (default): sells exactly the amount. `out`: buys the amount for the smallest input',
    }),
  max_hops: countParameter('max_hops', 3, 'Maximum number of pools per route; default 3'),
  max_splits: countParameter('max_splits', 4, 'Maximum number of routes that share the amount; default 4'),
  protocols: itemsParameter(PROTOCOL_FORM, PROTOCOLS_MESSAGE, {
    description: 'Uses only pools of these DEXes (names from `/v1/protocols`), separated by commas',
    example: 'uniswap-v3,pancakeswap-v2',
  }),
  exclude_pools: itemsParameter(POOL, POOLS_MESSAGE, {
    description: 'Leaves out these pools: their identifiers, separated by commas',
    example: '0x16b9a82891338f9ba80e2d6970fdda79d1eb0dae',
  }),
  slippage_bps: textParameter('slippage_bps', 'a whole number from 0 to 9999', BPS).transform(Number).optional().meta({
    pattern: BPS.source,
    description: 'How much worse the trade may become, in hundredths of a percent; determines `min_out` or `max_in`',
    example: '50',
  }),
}
