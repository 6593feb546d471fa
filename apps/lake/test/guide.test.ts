import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { projectRoot } from '@dexfeed/service'
import { temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { run } from '../src/query/query-command.ts'
import { type LakeTable, TABLE_NAMES, TABLES } from '../src/tables.ts'
import { anyTrades, DATE, fillWorld, NETWORK, openWorld, writeDay1 } from './lake-world.ts'

const file = join(projectRoot(), 'docs/guide/lake.md')
const page = readFileSync(file, 'utf8')

function sectionOf(name: (typeof TABLE_NAMES)[number]): string {
  const { about, order, columns }: LakeTable = TABLES[name]
  const rows = columns.map(([column, type, meaning]) => `| \`${column}\` | \`${type}\` | ${meaning} |`)
  const table = ['| column | type | meaning |', '| --- | --- | --- |', ...rows].join('\n')
  return `### ${name}\n\n${about} Sorted by ${order}.\n\n<!-- generated: npm test -- apps/lake -u -->\n${table}\n`
}

it('the guide has the columns of every table', async () => {
  const made = `\n## Tables\n\n${TABLE_NAMES.map(sectionOf).join('\n')}\n## DuckDB\n`
  await expect(page.replace(/\n## Tables\n.*\n## DuckDB\n/s, () => made)).toMatchFileSnapshot(file)
})

describe('npm run query', () => {
  let lake: string

  beforeAll(async () => {
    const world = await openWorld()
    const made = fc.sample(anyTrades, { numRuns: 20, seed: 4 })
    const trades = made.reduce((most, other) => (other.length > most.length ? other : most))
    await fillWorld(world, trades)
    await writeDay1(world)
    // A version that a manifest does not name.
    await world.objects.putText(`table=swaps/network=${NETWORK}/date=${DATE}/9.parquet`, 'half a file')
    lake = world.lake
  })

  async function query(sql: string, folder = lake) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const read = (stream: PassThrough) => stream.setEncoding('utf8').read() ?? ''
    const code = await run([sql], { LAKE_URL: folder, LOG_FORMAT: 'text' }, { stdout, stderr })
    return { code, out: read(stdout) as string, error: read(stderr) as string }
  }

  it('answers from the files that the manifests name', async () => {
    const { code, out } = await query(
      'SELECT network, date::VARCHAR, count(*) > 0, count(*) = max(totals.swaps) FROM swaps JOIN day_totals AS totals USING (network, date) GROUP BY ALL',
    )
    expect([code, out.split('\n')[1]]).toEqual([0, `${NETWORK}\t${DATE}\ttrue\ttrue`])
    const bytes = await query('SELECT DISTINCT address FROM tokens ORDER BY ALL LIMIT 1')
    expect(bytes.out).toMatch(/^address\n0x0{39}1\n$/)
  })

  it('answers each statement of the guide', async () => {
    const [, duck = ''] = /\n## DuckDB\n(.*)\n## Other/s.exec(page) ?? []
    const statements = [
      ...[...duck.matchAll(/run -s query -- "([^"]+)"/g)].map(([, sql = '']) => sql),
      ...[...duck.matchAll(/```sql\n(.*?)```/gs)].flatMap(([, sql = '']) => sql.split(/;\n/)),
    ].filter((sql) => sql.trim() !== '')
    expect(statements).toHaveLength(4)
    for (const sql of statements) {
      const { code, out, error } = await query(sql)
      expect([code, error]).toEqual([0, ''])
      expect([sql, out.trim().split('\n').length > 1]).toEqual([sql, true])
    }
  })

  it('answers without days, and reports a statement that is wrong', async () => {
    expect((await query('SELECT count(*) AS days FROM hops', temporaryFolder())).out).toBe('days\n0\n')
    const { code, error } = await query('SELECT none FROM swaps')
    expect([code, error]).toEqual([1, expect.stringContaining('none')])
  })
})
