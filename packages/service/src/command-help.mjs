// The help of every npm command. scripts/run.mjs prints it before anything is installed, so this file imports nothing.

const NETWORK = ['--network <eth|bsc|polygon>', 'the network', 'required']
const NODES = ['<NETWORK>_RPC_URL', 'RPC endpoints of ETH, BSC or POLYGON', 'at least one is required']
const DATABASE = ['DATABASE_URL', 'Postgres, as the owner', 'default: embedded, under .data/']
const LIMIT = { pools: ['--pools <n>', 'pools of the market', 'default: 200000'] }
const PROFILE = ['--profile <folder>', 'write a CPU profile of the indexer there']
const SEED = ['--seed <n|new>', 'seed of the random tests; new draws one and prints it', 'default: 1']
const READ = ['--read <logs|receipts>', 'what the nodes serve', 'default: logs']

/**
 * Help texts by command. A benchmark's key is `bench <name>`. The note of an option is its default, or says that it is
 * required.
 */
export const COMMANDS = {
  demo: {
    does: 'Runs three local chains with trading bots, a database, the indexer and the API.',
    options: [['--port <n>', 'port of the API; 0 takes a free one', 'default: 3000']],
  },
  devnet: {
    does: 'Runs the three local chains of the demo, and prints the settings for an indexer of your own.',
    options: [
      ['--host <address>', 'where the chains listen', 'default: 127.0.0.1'],
      ['--port-base <n>', 'port of the first chain; the others have the next ports', 'default: 8545'],
      ['--dir <folder>', 'where the chains are kept between runs', 'default: .data/chains'],
    ],
  },
  start: { does: 'Brings the database up to date, then runs indexer and API.', settings: [NODES, DATABASE] },
  indexer: {
    does: 'Runs the indexer: chain to database. The database must be up to date (npm run migrate).',
    options: [['--role <follow|backfill|both>', 'what this process does', 'default: INDEXER_ROLE, or both']],
    settings: [NODES, DATABASE],
  },
  api: {
    does: 'Runs the API: database to HTTP. The database must be up to date (npm run migrate).',
    settings: [DATABASE, ['PORT', 'port of the API', 'default: 3000']],
  },
  backfill: {
    does: 'Queues a part of the history of a network.',
    usage: '--network eth (--from N --to M | --days D) [--wait]',
    options: [
      NETWORK,
      ['--from <block>', 'first block', 'required without --days'],
      ['--to <block>', 'last block', 'required without --days'],
      ['--days <days>', 'the last days instead'],
      ['--wait', 'stay until it is done; exit code 1 if any part failed'],
    ],
    settings: [NODES, DATABASE],
  },
  explain: {
    does: 'Shows the hops and trades of transactions, and what was dropped and why. Needs no database.',
    usage: '--network eth --tx 0x…',
    options: [
      NETWORK,
      ['--tx <hash>', 'a transaction; may be repeated', 'required without --txs-file'],
      ['--txs-file <file>', 'a file of transactions, one per line; - for standard input'],
      ['--json', 'print one line of JSON per transaction'],
    ],
    settings: [['<NETWORK>_RPC_URL', 'RPC endpoints of that network', 'required']],
  },
  verify: {
    does: 'Compares stored rows and pool states with the chain, and repairs them.',
    usage: '--network eth [--from N --to M | --states] [--repair]',
    options: [
      NETWORK,
      ['--from <block>', 'first block', 'default: the first that is covered'],
      ['--to <block>', 'last block', 'default: the last that is final'],
      ['--states', 'compare only the pool states at the head'],
      ['--repair', 'repair what differs'],
    ],
    settings: [NODES, DATABASE],
  },
  export: {
    does: 'Writes whole days of trades to files, one per day.',
    usage: '--network eth (--day D | --from D --to D) --out FOLDER',
    options: [
      NETWORK,
      ['--day <day>', 'one day (UTC), such as 2026-11-22', 'required without --from and --to'],
      ['--from <day>', 'first of several days'],
      ['--to <day>', 'last of several days'],
      ['--format <parquet|csv>', 'format of the files', 'default: parquet'],
      ['--out <folder>', 'folder for the files', 'required'],
    ],
    settings: [DATABASE],
  },
  compare: {
    does: 'Compares prices and volumes of a running API with another source, and explains the differences.',
    usage: '--with geckoterminal|dexscreener|FILE --network eth',
    options: [
      ['--with <source>', 'geckoterminal, dexscreener, or a file of rows', 'required'],
      NETWORK,
      ['--day <day>', 'the day (UTC), such as 2026-11-22', 'default: yesterday; not with dexscreener'],
      ['--pools <n>', 'how many pools, those with the most volume first', 'default: 20; not with a file'],
      ['--url <url>', 'address of the API', 'default: http://127.0.0.1:3000'],
      ['--source-url <url>', 'another address of the source'],
      ['--json', 'print one line of JSON per row'],
    ],
  },
  doctor: {
    does: 'Checks settings, nodes, databases, queue and folders, and says what to change. Changes nothing.',
    settings: [NODES, DATABASE],
  },
  status: {
    does: 'Shows the state of each network, as the running API reports it.',
    options: [
      ['--url <url>', 'address of the API', 'default: by HOST and PORT'],
      ['--watch', 'show it again every 2 seconds'],
    ],
  },
  migrate: {
    does: 'Brings the database up to date, and creates the read-only user of API_DATABASE_URL.',
    settings: [DATABASE, ['API_DATABASE_URL', 'what the API connects with']],
  },
  mcp: {
    does: 'Serves the operations of a running API to agents as tools: over standard input and output, or over HTTP.',
    options: [
      ['--url <url>', 'address of the API', 'default: http://127.0.0.1:3000'],
      ['--http', 'serve HTTP instead, on this machine only'],
      ['--port <n>', 'port of --http', 'default: 3002'],
    ],
  },
  lake: {
    does: 'Writes complete days to files for other engines, until it is stopped. The database must be up to date.',
    options: [
      ['--check', 'only check that the lake can be used: reachable, rights, clock'],
      ['--check --files', 'also read all files, and compare their checksums'],
    ],
    settings: [['LAKE_URL', 'a folder, or s3://bucket/prefix', 'required'], DATABASE],
  },
  query: {
    does: 'Asks the lake by SQL, through DuckDB. Each table of the lake is a view with the columns network and date.',
    usage: '"SELECT network, date, count(*) FROM swaps GROUP BY ALL"',
    settings: [
      ['LAKE_URL', 'a folder, or s3://bucket/prefix', 'required'],
      ['DATABASE_URL', 'Postgres, whose tables are then in pg', 'default: none'],
    ],
  },
  'lake:clickhouse': {
    does: 'Loads the days of the lake into ClickHouse that it lacks, or has as another version, and ends.',
    options: [['--url <url>', 'the address of ClickHouse, with the database as its path', 'required']],
    settings: [
      ['LAKE_URL', 'a folder, or s3://bucket/prefix', 'required'],
      ['CLICKHOUSE_USER', 'its user', 'default: default'],
      ['CLICKHOUSE_PASSWORD', 'the password', 'default: none'],
    ],
  },
  bench: {
    does: 'Measures, prints a table and, as the last line, one JSON object. `npm run bench -- NAME --help` has its options.',
    usage: 'index | live | mainnet | quote | api',
  },
  'bench index': {
    does: 'Measures indexing from nothing.',
    options: [
      READ,
      ['--swaps <n>', 'swaps of the chain', 'default: 200000'],
      ['--preload <n>', 'rows in the tables before a second run', 'default: 0, no second run'],
      ['--beside-api <contract|all>', 'index again beside an API under load', 'default: no such run'],
      ['--workers <n>', 'HISTORY_THREADS of the indexer', 'default: 0'],
      PROFILE,
    ],
  },
  'bench live': {
    does: 'Measures the delay at the head.',
    options: [
      ['--networks <n>', 'networks at the same time', 'default: 1'],
      READ,
      ['--poll', 'poll for heads instead of a WebSocket'],
      ['--blocks <n>', 'blocks to publish', 'default: 60'],
      PROFILE,
    ],
  },
  'bench mainnet': {
    does: 'Measures head and history at the same time, on nodes with the shape and the limits of real networks.',
    options: [
      ['--preset <eth|bsc|polygon|all>', 'shape of the networks', 'default: bsc'],
      ['--history <rpc|portal>', 'first source of history', 'default: rpc'],
      ['--minutes <n>', 'length of the measurement', 'default: 3'],
      ['--warm-up <seconds>', 'time before it', 'default: 30'],
      ['--days <n>', 'days of history', 'default: 7'],
      ['--latency <ms>', 'delay of responses', 'default: 50'],
      ['--rate <n>', 'items per second of a node; 0: no limit', 'default: 100'],
      ['--burst <n>', 'items in one moment', 'default: 30'],
      ['--refusal <http|item>', 'what is refused above the rate', 'default: http'],
      ['--no-receipts', 'nodes serve no receipts of whole blocks'],
      ['--websocket', 'heads by WebSocket'],
      ['--poll', 'heads by polling'],
      ['--workers <n>', 'HISTORY_THREADS of the indexer', 'default: by the processors'],
      ...['pools', 'cycle', 'block-transactions', 'block-swaps', 'block-logs'].map((name) => [
        `--${name} <n>`,
        'overrides the preset',
      ]),
      PROFILE,
    ],
  },
  'bench quote': {
    does: 'Measures quotes.',
    options: [LIMIT.pools, ['--dust <n>', 'tiny pools on each of two links between hubs', 'default: 0']],
  },
  'bench api': {
    does: 'Measures the API under load.',
    options: [
      ['--rows <n>', 'swaps of the day that is served', 'default: 1000000'],
      ['--part <operations|stream|list|v1|neighbour>', 'one part', 'default: all but neighbour'],
    ],
  },
  simulate: {
    does: 'Indexes invented chains from nodes that fail and lie, and compares the database with the chains.',
    options: [
      ['--seed <n>', 'of the first run; it replays that run', 'default: a random one'],
      ['--blocks <n>', 'blocks per network', 'default: 2000'],
      ['--runs <n>', 'how many runs; each has the next seed', 'default: 1'],
      ['--blooms <none|usual|full>', 'how full the blooms are', 'default: by the seed'],
    ],
  },
  build: { does: 'Bundles the programs. The commands that run a program do this themselves.' },
  test: {
    does: 'Runs all tests but the long ones, or those whose paths contain an argument. Other options go to Vitest.',
    usage: 'packages/dex apps/api/test',
    options: [['-u', 'write the files that tests generate'], SEED],
  },
  'test:long': {
    does: 'Runs the long tests, and the random tests with ten times as many cases. Takes the same arguments as npm test.',
    usage: 'packages/dex apps/api/test',
    options: [SEED],
  },
  'test:unit': {
    does: 'Runs the tests that need no database, no chain and no other process. Takes the same arguments as npm test.',
    usage: 'packages/dex',
  },
  check: { does: 'Checks format, lint, types, structure, commits, boundaries and unused code.' },
  structure: { does: 'Checks that no imports form a circle, and that each part imports only what it may.' },
  commits: { does: 'Checks the subjects of the commits.' },
  release: { does: 'Builds the packages for npm, and publishes those with a new version.' },
}

/**
 * Returns the help of a command if its arguments request it, else null.
 *
 * @param {string} command
 * @param {readonly string[]} args
 */
function requestedHelp(command, args) {
  if (!args.includes('--help') && !args.includes('-h')) return null
  const name = args.map((argument) => `${command} ${argument}`).find((each) => Object.hasOwn(COMMANDS, each)) ?? command
  return Object.hasOwn(COMMANDS, name) ? helpText(name, COMMANDS[name]) : null
}

/**
 * Prints the help of a command and ends the process, if its arguments request it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 */
export function helpIfRequested(command, args) {
  const text = requestedHelp(command, args)
  if (text === null) return
  process.stdout.write(text)
  process.exit(0)
}

function helpText(name, { does, usage, options = [], settings = [] }) {
  const [command, ...parts] = name.split(' ')
  const words = [...parts, usage ?? (options.length > 0 ? '[options]' : '')].filter((word) => word !== '')
  const line = [command === 'start' || command === 'test' ? `npm ${command}` : `npm run ${command}`]
  if (words.length > 0) line.push('--', ...words)
  const all = [...options, ['-h, --help', 'show this, and do nothing else']]
  const head = `${line.join(' ')}\n\n${does}\n\n${table('Options', all)}`
  if (settings.length === 0) return head
  return `${head}\n${table('Settings, from the environment or .env; all are in docs/guide/settings.md', settings)}`
}

function table(title, rows) {
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text, note]) => `  ${name.padEnd(width)}  ${text}${note ? ` (${note})` : ''}`)
  return `${title}:\n${lines.join('\n')}\n`
}
