import { expect, test } from 'vitest'
import { rowFile } from './row-file.ts'

const POOL = `0x${'Ab'.repeat(20)}`
const question = { network: 'bsc', day: '2026-11-22', signal: new AbortController().signal } as const
const CSV = `date,network,pool,token,price_usd,volume_usd
2026-11-22,bsc,${POOL},,1.5,
2026-11-22,eth,${POOL},,2,3
2026-11-21,bsc,${POOL},,4,5
"2026-11-22","bsc","","${POOL}","6","7e2"
`

test.each([
  ['CSV', CSV],
  [
    'JSON',
    JSON.stringify([
      { date: '2026-11-22', network: 'bsc', pool: POOL, token: '', price_usd: '1.5', volume_usd: null },
      { date: '2026-11-22', network: 'bsc', token: POOL, price_usd: 6, volume_usd: 7e2 },
    ]),
  ],
])('rows of the day and network are read from %s', async (_, text) => {
  const source = rowFile(text)
  const subjects = source.subjects(question) ?? []
  expect(subjects).toEqual([
    { pool: POOL.toLowerCase(), token: null },
    { pool: null, token: POOL.toLowerCase() },
  ])
  const figures = await Promise.all(subjects.map((subject) => source.figures(subject, question)))
  expect(figures.map((each) => Number(each?.priceUsd))).toEqual([1.5, 6])
  expect(figures[0]?.volumeUsd).toBeNull()
})

test.each([
  ['pool,price\n', /lacks the columns date, network, token/],
  ['[1', /not JSON/],
  [CSV.replace('2026-11-22', '22.11.2026'), /^row 1 of the file: date/],
  [CSV.replace(POOL, '0x12'), /^row 1 of the file: pool is not an address/],
  [CSV.replace('1.5', '-1'), /^row 1 of the file: price_usd is not a decimal/],
  [CSV.replace(`${POOL},,1.5`, ',,1.5'), /^row 1 of the file: has neither/],
])('a wrong file is refused with its place: %#', (text, message) => {
  expect(() => rowFile(text)).toThrow(message)
})
