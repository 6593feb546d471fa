import { expect, it } from 'vitest'
import { z } from 'zod'
import { csvWriter } from './csv.ts'

const row = z.strictObject({
  token: z.strictObject({ name: z.string(), amount: z.string() }),
  usd: z.string().nullable(),
  flags: z.array(z.string()),
  hops: z.array(z.strictObject({ pool: z.string() })),
  final: z.boolean(),
})
const write = csvWriter(row)

it('has a line per row, a column per field, and an empty cell for an unknown value', () => {
  const rows = [
    {
      token: { name: 'A', amount: '1' },
      usd: null,
      flags: ['x', 'y'],
      hops: [{ pool: 'p' }, { pool: 'q' }],
      final: true,
    },
    { token: { name: 'a,b "c"\nd', amount: '2' }, usd: '0.10', flags: [], hops: [], final: false },
  ]
  expect(write(rows)).toBe(
    'token.name,token.amount,usd,flags,hops,final\r\n' +
      'A,1,,x y,"[{""pool"":""p""},{""pool"":""q""}]",true\r\n' +
      '"a,b ""c""\nd",2,0.10,,[],false\r\n',
  )
  expect(write([])).toBe('token.name,token.amount,usd,flags,hops,final\r\n')
})

it.each(['=1+1', '+1', '-1+1', '-a', '-1.', '-.5', '-1e3', '-', '-1\n', '-1 1', '@a', '\t=1', '\r=1'])(
  'does not turn a name %j into a formula',
  (name) => {
    const [, line] = write([{ token: { name, amount: '1' }, usd: null, flags: [], hops: [], final: true }]).split(
      /\r\n/,
    )
    expect(line?.replace(/^"/, '').startsWith(`'${name[0]}`)).toBe(true)
  },
)

it.each(['-201234', '-3.2100', '0', '-0.5'])('leaves the number %s as it is', (number) => {
  const cell = { token: { name: 'A', amount: number }, usd: number, flags: [], hops: [], final: true }
  expect(write([cell]).split('\r\n')[1]).toBe(`A,${number},${number},,[],true`)
  const numbers = csvWriter(z.strictObject({ tick: z.number() }))
  expect(numbers([{ tick: Number(number) }, { tick: -1e-7 }])).toBe(`tick\r\n${Number(number)}\r\n-1e-7\r\n`)
})
