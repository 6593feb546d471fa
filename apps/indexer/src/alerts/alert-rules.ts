import { readAddress } from '@dexfeed/contract'
import {
  type Address,
  DAY_S,
  fixedText,
  HOUR_S,
  isCoin,
  MINUTE_S,
  NETWORK_NAMES,
  type NetworkName,
  type PoolAddress,
  usdE8Of,
} from '@dexfeed/dex'
import { z } from 'zod'

// The rules and webhooks of an ALERTS_CONFIG file (docs/guide/alerts.md).

const MAX_RULES = 10_000
/** Each has its own queue, with connections of its own. */
const MAX_WEBHOOKS = 10
const MAX_SECONDS = 30 * DAY_S
/** More digits than any price has. */
const SCALE_DIGITS = 42
const PERCENT_DIGITS = 4

export const WINDOWS = { '5m': 5 * MINUTE_S, '1h': HOUR_S, '6h': 6 * HOUR_S, '24h': DAY_S } as const

const named = z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens and underscores')

const address = z.string().transform((text, context): Address => {
  const read = readAddress(text)
  if (read !== null) return read
  context.addIssue({ code: 'custom', message: 'must be an address; mixed case must match its checksum (EIP-55)' })
  return z.NEVER
})

const pool = z
  .string()
  .regex(/^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{80}|[0-9a-fA-F]{104})$/, 'must be a pool as in /v1/pools')
  .transform((text) => text.toLowerCase() as PoolAddress)

const positive = (digits: number) =>
  z
    .string('must be a decimal number in quotes, such as "2500.5"')
    .regex(
      new RegExp(`^\\d{1,30}(\\.\\d{1,${digits}})?$`),
      `must be a decimal with at most ${digits} fractional digits`,
    )
    .refine((text) => /[1-9]/.test(text), 'must be more than 0')

const price = positive(SCALE_DIGITS).transform((text) => scaledPrice(text))
const usd = positive(8).transform((text) => usdE8Of(text))

const percent = z
  .string('must be a percentage in quotes, such as "10" or "-2.5"')
  .regex(/^-?\d{1,9}(\.\d{1,4})?$/, `must be a percentage with at most ${PERCENT_DIGITS} fractional digits`)
  .refine((text) => /[1-9]/.test(text), 'must not be 0')
  .refine((text) => Number(text) >= -100, 'must not be below -100')
  .transform((text) => scaled(text, PERCENT_DIGITS))

const common = { name: named, network: z.enum(NETWORK_NAMES), webhooks: z.array(named).optional() }
const priced = { ...common, token: address, pool: pool.optional() }

const rule = z.discriminatedUnion('kind', [
  z
    .strictObject({ ...priced, kind: z.literal('price'), above: price.optional(), below: price.optional() })
    .refine(({ above, below }) => (above === undefined) !== (below === undefined), 'needs either above or below'),
  z.strictObject({ ...priced, kind: z.literal('change'), window: z.enum(['5m', '1h', '6h', '24h']), percent }),
  z.strictObject({
    ...common,
    kind: z.literal('trade'),
    min_usd: usd,
    token: address.optional(),
    pool: pool.optional(),
  }),
  z.strictObject({ ...common, kind: z.literal('new_pool'), min_usd: usd }),
  z.strictObject({
    ...common,
    kind: z.literal('liquidity_removed'),
    pool,
    percent: percent.refine(
      (value) => value > 0n && value <= 100n * 10n ** BigInt(PERCENT_DIGITS),
      'must be more than 0 and at most 100',
    ),
  }),
  z.strictObject({ ...common, kind: z.literal('behind'), seconds: z.int().min(1).max(MAX_SECONDS) }),
])

const webhook = z.strictObject({
  name: named,
  url: z.string().refine(isWebhookUrl, 'must be an http:// or https:// URL without a user'),
  /** Whether addresses of this machine and of private networks are allowed. */
  private: z.boolean().default(false),
})

const file = z.strictObject({
  webhooks: z.array(webhook).max(MAX_WEBHOOKS).default([]),
  rules: z.array(rule).max(MAX_RULES),
})

interface Settled {
  webhooks: readonly string[]
  /** What the rule says, as text. */
  condition: string
}

type Named<Rule> = Rule extends unknown ? Omit<Rule, 'webhooks'> & Settled : never

export type AlertRule = Named<z.output<typeof rule>>
export type RuleOf<Kind extends AlertRule['kind']> = Extract<AlertRule, { kind: Kind }>
export type PricedRule = RuleOf<'price' | 'change'>

export interface Webhook extends z.output<typeof webhook> {
  secret: string
}

export interface AlertsConfig {
  webhooks: readonly Webhook[]
  rules: readonly AlertRule[]
}

export type ReadAlerts = { config: AlertsConfig; problems?: undefined } | { config?: undefined; problems: string[] }

/**
 * Reads an ALERTS_CONFIG file. Each problem begins with its place: `rules[2].above: …`.
 *
 * @param secrets by the webhook's name
 * @param wrapped the wrapped coin of each network that this process indexes
 */
export function parseAlerts(
  text: string,
  secrets: ReadonlyMap<string, string>,
  wrapped: ReadonlyMap<NetworkName, Address>,
): ReadAlerts {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    // The message may quote a URL.
    const [, at = ''] = /in JSON( at position \d+)/.exec(String(error)) ?? []
    return { problems: [`not valid JSON${at}`] }
  }
  const read = file.safeParse(json)
  if (!read.success) return { problems: read.error.issues.map(({ path, message }) => `${placeOf(path)}${message}`) }
  const { webhooks, rules } = read.data
  const names = new Set(webhooks.map(({ name }) => name))
  const problems = [...repeated('webhooks', webhooks), ...repeated('rules', rules)]
  for (const [at, { name }] of webhooks.entries()) {
    if (!secrets.has(name)) problems.push(`webhooks[${at}]: ALERTS_SECRETS has no secret for ${name}`)
  }
  for (const [at, { webhooks: used = [] }] of rules.entries()) {
    for (const name of used) if (!names.has(name)) problems.push(`rules[${at}].webhooks: there is no webhook ${name}`)
  }
  if (problems.length > 0) return { problems }
  return {
    config: {
      webhooks: webhooks.map((each) => ({ ...each, secret: secrets.get(each.name) ?? '' })),
      rules: rules.map((each) => ({
        ...withWrapper(each, wrapped),
        webhooks: each.webhooks ?? [...names],
        condition: conditionOf(each),
      })),
    },
  }
}

function conditionOf({ name: _, webhooks: __, ...says }: z.output<typeof rule>): string {
  return JSON.stringify(says, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** Hops and candles name the wrapper instead of the coin. */
function withWrapper<Rule extends z.output<typeof rule>>(each: Rule, wrapped: ReadonlyMap<NetworkName, Address>): Rule {
  if (!('token' in each) || each.token === undefined || !isCoin(each.network, each.token)) return each
  return { ...each, token: wrapped.get(each.network) ?? each.token }
}

/** Returns a decimal times 10^42. */
export function scaledPrice(text: string): bigint {
  return scaled(text, SCALE_DIGITS)
}

/** Returns whether a price moved by at least the percentage, in its direction. Prices are scaled equally. */
export function hasMoved(percentage: bigint, before: bigint, now: bigint): boolean {
  const moved = (now - before) * 100n * 10n ** BigInt(PERCENT_DIGITS)
  return percentage > 0n ? moved >= percentage * before : moved <= percentage * before
}

/** Returns the change in percent, rounded toward zero. */
export function changeText(before: bigint, now: bigint): string {
  return fixedText(((now - before) * 100n * 10n ** BigInt(PERCENT_DIGITS)) / before, PERCENT_DIGITS)
}

function scaled(text: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(digits, '0'))
}

function isWebhookUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
}

function repeated(list: string, items: readonly { name: string }[]): string[] {
  const first = new Map<string, number>()
  return items.flatMap(({ name }, at) => {
    const before = first.get(name)
    if (before === undefined) first.set(name, at)
    return before === undefined ? [] : [`${list}[${at}].name: ${name} is also the name of ${list}[${before}]`]
  })
}

function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return place === '' ? '' : `${place.replace(/^\./, '')}: `
}
