import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { listen } from '@dexfeed/test-setup/listen'

/** What the manifest says of a file. */
interface KnownFile {
  rows: number
  sums: Record<string, string>
}

/** Partitions of a table, each the content of one file. */
type Table = Map<string, KnownFile>

class Refused extends Error {
  readonly code: number

  constructor(code: number, name: string, message = name) {
    super(`Code: ${code}. DB::Exception: ${message} (${name}) (version 26.7.2.1)`)
    this.code = code
  }
}

/**
 * Answers the statements of `npm run lake:clickhouse`, and no others, as ClickHouse 26.7 answered them. It knows what is in
 * a file from `files`, by the file's checksum.
 */
export async function startFakeClickHouse(files: ReadonlyMap<string, KnownFile>, password: string): Promise<string> {
  const tables = new Map<string, Table>()
  const days = new Map<string, string[]>()
  const tableOf = (name: string): Table => {
    const table = tables.get(name)
    if (table === undefined) throw new Refused(60, 'UNKNOWN_TABLE', `Table default.${name} does not exist.`)
    return table
  }
  const answers: [RegExp, (found: string[], body: Buffer) => readonly (readonly string[])[] | undefined][] = [
    [
      /^CREATE TABLE IF NOT EXISTS (\w+) \(.*\) ENGINE = /s,
      ([name = '']) => void tables.set(name, tables.get(name) ?? new Map()),
    ],
    [/^ALTER TABLE (\w+) ADD COLUMN IF NOT EXISTS /, ([name = '']) => void tableOf(name)],
    [/^CREATE TABLE (\w+) AS (\w+)$/, ([name = '', from = '']) => void (tableOf(from) && tables.set(name, new Map()))],
    [
      /^SELECT name FROM system.tables\s+WHERE database = currentDatabase\(\) AND match\(name, '(.+)'\) ORDER BY name/,
      ([pattern = '']) =>
        [...tables.keys()]
          .sort()
          .filter((name) => new RegExp(pattern).test(name))
          .map((name) => [name]),
    ],
    [/^DROP TABLE IF EXISTS (\w+) SYNC$/, ([name = '']) => void tables.delete(name)],
    [/^SELECT network, date, version, written_at FROM lake_days FINAL/, () => [...days.values()]],
    [
      /^SELECT table, partition, sum\(rows\) FROM system.parts\s+WHERE active AND database = currentDatabase\(\) GROUP BY table, partition/,
      () => [...tables].flatMap(([table, parts]) => [...parts].map(([name, { rows }]) => [table, name, String(rows)])),
    ],
    [/^TRUNCATE TABLE (\w+)$/, ([name = '']) => void tableOf(name).clear()],
    [
      /^INSERT INTO (\w+) \(network, date, .+\) SELECT ('\w+'), toDate\(('[\d-]+')\), .+ FROM input\('.+'\) FORMAT Parquet$/,
      ([name = '', network, date], body) => {
        const file = files.get(createHash('sha256').update(body).digest('hex'))
        if (file === undefined) throw new Refused(636, 'CANNOT_EXTRACT_TABLE_STRUCTURE')
        tableOf(name).set(`(${network},${date})`, file)
      },
    ],
    [
      /^SELECT count\(\)(.*) FROM (\w+)/,
      ([list = '', name = '']) => {
        const parts = [...tableOf(name).values()]
        const [part] = parts
        if (parts.length > 1) throw new Error('the fake knows no sums of several days')
        const names = [...list.matchAll(/, ifNull\(sum\((\w+)\), 0\)/g)].map(([, column = '']) => column)
        return [
          [
            String(part?.rows ?? 0),
            ...names.map((column) => wrapped(part?.sums[column] ?? (column.endsWith('_usd') ? '0.00000000' : '0'))),
          ],
        ]
      },
    ],
    [
      /^ALTER TABLE (\w+) REPLACE PARTITION (\(.+\)) FROM (\w+)$/,
      ([name = '', partition = '', from = '']) => {
        const part = tableOf(from).get(partition)
        if (part === undefined) throw new Refused(36, 'BAD_ARGUMENTS', `${from} has no parts in partition`)
        tableOf(name).set(partition, part)
      },
    ],
    [
      /^ALTER TABLE (\w+) MOVE PARTITION (\(.+\)) TO TABLE (\w+)$/,
      ([name = '', partition = '', to = '']) => {
        const part = tableOf(name).get(partition)
        if (part !== undefined) tableOf(to).set(partition, part)
        else tableOf(to)
        tableOf(name).delete(partition)
      },
    ],
    [
      /^INSERT INTO lake_days \(network, date, version, written_at\) VALUES \('(\w+)', '([\d-]+)', (\d+), '([\w:.-]+)'\)$/,
      (day) => void days.set(day.slice(0, 2).join(), day),
    ],
  ]

  async function answer(request: IncomingMessage): Promise<string> {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const query = searchParams.get('query')
    const body = query === null ? Buffer.of() : await buffer(request)
    const sql = (query ?? (await text(request))).replace(/\s*FORMAT JSONCompactStringsEachRow$/, '')
    const given = Buffer.from(request.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString()
    if (given !== `default:${password}`) throw new Refused(516, 'AUTHENTICATION_FAILED')
    for (const [pattern, work] of answers) {
      const found = pattern.exec(sql)
      if (found !== null) return (work(found.slice(1), body) ?? []).map((row) => `${JSON.stringify(row)}\n`).join('')
    }
    throw new Refused(62, 'SYNTAX_ERROR', `the fake does not know ${sql}`)
  }

  const port = await listen((request, response) => {
    answer(request).then(
      (lines) => response.end(lines),
      (error: Error) => {
        const code = error instanceof Refused ? error.code : 0
        response.writeHead(500, { 'x-clickhouse-exception-code': String(code) }).end(error.message)
      },
    )
  })
  return `http://127.0.0.1:${port}`
}

/** Sums of amounts have 256 bits. */
function wrapped(sum: string): string {
  return /^\d+$/.test(sum) ? String(BigInt.asUintN(256, BigInt(sum))) : sum
}
