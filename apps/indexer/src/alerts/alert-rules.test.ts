import { describe, expect, it } from 'vitest'
import { changeText, hasMoved, parseAlerts, scaledPrice } from './alert-rules.ts'

const TOKEN = '0x00000000000000000000000000000000000000aB'.toLowerCase()
const WRAPPER = `0x${'c0'.repeat(20)}` as const
const HOOK = { name: 'ops', url: 'https://hook.example/path' }
const PRICE = { name: 'high', network: 'eth', kind: 'price', token: TOKEN, above: '2500.5' }

const parse = (content: unknown) =>
  parseAlerts(JSON.stringify(content), new Map([['ops', 'a-secret-of-the-test']]), new Map([['eth', WRAPPER]]))
const problemsOf = (rule: object) => parse({ webhooks: [HOOK], rules: [{ ...PRICE, ...rule }] }).problems

describe('parseAlerts', () => {
  it('reads rules of all kinds, and sends them to all webhooks unless they name some', () => {
    const common = { network: 'bsc' }
    const { config, problems } = parse({
      webhooks: [HOOK],
      rules: [
        PRICE,
        {
          ...common,
          name: 'b',
          kind: 'change',
          token: TOKEN,
          pool: WRAPPER,
          window: '1h',
          percent: '-10',
          webhooks: [],
        },
        { ...common, name: 'c', kind: 'trade', min_usd: '100000' },
        { ...common, name: 'd', kind: 'behind', seconds: 60 },
      ],
    })
    expect(problems).toBeUndefined()
    expect(config?.webhooks).toEqual([{ ...HOOK, private: false, secret: 'a-secret-of-the-test' }])
    expect(config?.rules.map(({ webhooks }) => webhooks)).toEqual([['ops'], [], ['ops'], ['ops']])
    expect(config?.rules[0]).toMatchObject({ token: TOKEN, above: scaledPrice('2500.5') })
    expect(config?.rules[1]).toMatchObject({ percent: -100_000n, pool: WRAPPER })
    expect(config?.rules[2]).toMatchObject({ min_usd: 100_000n * 10n ** 8n })
  })

  it('takes the wrapper for the coin', () => {
    const { config } = parse({ rules: [{ ...PRICE, token: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' }] })
    expect(config?.rules[0]).toMatchObject({ token: WRAPPER })
  })

  it('gives a rule that says something else another condition, not one that is sent elsewhere', () => {
    const conditionOf = (rule: object) =>
      parse({ webhooks: [HOOK], rules: [{ ...PRICE, ...rule }] }).config?.rules[0]?.condition
    expect(conditionOf({ webhooks: [] })).toBe(conditionOf({}))
    expect(conditionOf({ above: '2500.50' })).toBe(conditionOf({}))
    expect(conditionOf({ above: '2500.6' })).not.toBe(conditionOf({}))
  })

  it.each([
    [{ token: '0x12' }, 'rules[0].token: must be an address; mixed case must match its checksum (EIP-55)'],
    [{ token: '0x00000000000000000000000000000000000000aB' }, 'rules[0].token: must be an address; mixed'],
    [{ pool: '0x12' }, 'rules[0].pool: must be a pool as in /v1/pools'],
    [{ above: undefined }, 'rules[0]: needs either above or below'],
    [{ below: '1' }, 'rules[0]: needs either above or below'],
    [{ above: 2500 }, 'rules[0].above: must be a decimal number in quotes, such as "2500.5"'],
    [{ above: '1e3' }, 'rules[0].above: must be a decimal with at most 42 fractional digits'],
    [{ above: '0.0' }, 'rules[0].above: must be more than 0'],
    [{ kind: 'price above' }, 'rules[0].kind: Invalid'],
    [{ network: 'etc' }, 'rules[0].network: Invalid option: expected one of "eth"|"bsc"|"polygon"'],
    [{ name: 'a b' }, 'rules[0].name: must be 1 to 64 letters, digits, dots, hyphens and underscores'],
    [{ over: 1 }, 'rules[0]: Unrecognized key: "over"'],
    [{ webhooks: ['dev'] }, 'rules[0].webhooks: there is no webhook dev'],
    [{ kind: 'change', above: undefined, window: '2h', percent: '1' }, 'rules[0].window: Invalid option'],
    [{ kind: 'change', above: undefined, window: '1h', percent: '0' }, 'rules[0].percent: must not be 0'],
    [{ kind: 'change', above: undefined, window: '1h', percent: '-101' }, 'rules[0].percent: must not be below -100'],
    [
      { kind: 'liquidity_removed', above: undefined, token: undefined, pool: WRAPPER, percent: '-1' },
      'rules[0].percent: must be more than 0 and at most 100',
    ],
    [{ kind: 'behind', above: undefined, token: undefined, seconds: 0.5 }, 'rules[0].seconds: Invalid input'],
  ])('refuses %j', (rule, problem) => {
    const problems = problemsOf(rule)
    expect(problems).toHaveLength(1)
    expect(problems?.[0]).toContain(problem)
  })

  it('reports all problems, and those of the file', () => {
    expect(parse({ webhooks: [HOOK, { ...HOOK, url: 'ftp://a' }], rules: [{}] }).problems).toHaveLength(2)
    expect(parse({ webhooks: [HOOK, HOOK], rules: [PRICE, PRICE] }).problems).toEqual([
      'webhooks[1].name: ops is also the name of webhooks[0]',
      'rules[1].name: high is also the name of rules[0]',
    ])
    expect(parse({ webhooks: [{ ...HOOK, name: 'dev' }], rules: [] }).problems).toEqual([
      'webhooks[0]: ALERTS_SECRETS has no secret for dev',
    ])
    for (const url of ['https://user:pass@hook.example', 'ftp://hook.example', 'hook.example']) {
      expect(parse({ webhooks: [{ ...HOOK, url }], rules: [] }).problems).toEqual([
        'webhooks[0].url: must be an http:// or https:// URL without a user',
      ])
    }
    expect(parse([]).problems?.[0]).toContain('expected object')
    const problemsIn = (text: string) => parseAlerts(text, new Map(), new Map()).problems
    expect(problemsIn('{\n]')).toEqual(['not valid JSON at position 2'])
    expect(problemsIn('[https://hook.example/token]')).toEqual(['not valid JSON'])
  })
})

it('compares changes exactly, in their direction', () => {
  const at = (price: string) => scaledPrice(price)
  expect(hasMoved(100_000n, at('3'), at('3.3'))).toBe(true)
  expect(hasMoved(100_000n, at('3'), at('3.299999999999999999'))).toBe(false)
  expect(hasMoved(-100_000n, at('3'), at('2.7'))).toBe(true)
  expect(hasMoved(-100_000n, at('3'), at('2.700000000000000001'))).toBe(false)
  expect(hasMoved(-100_000n, at('3'), at('4'))).toBe(false)
  expect(changeText(at('3'), at('2'))).toBe('-33.3333')
})
