// Ends with code 0 if every URL responds in time:
//
//   node healthcheck.mjs URL...         with 200 to a GET
//   node healthcheck.mjs --rpc URL...   to a JSON-RPC call
const TIMEOUT_MS = 4_000

const args = process.argv.slice(2)
const rpc = args[0] === '--rpc'
const urls = rpc ? args.slice(1) : args

const CALL = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
}

try {
  if (urls.length === 0) throw new Error('no URL')
  await Promise.all(urls.map(check))
} catch (error) {
  console.error(error.message, error.cause?.message ?? '')
  process.exit(1)
}

async function check(url) {
  const response = await fetch(url, { ...(rpc && CALL), redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 200)}`)
  if (rpc && JSON.parse(text).result === undefined) throw new Error(`${url}: ${text.slice(0, 200)}`)
}
