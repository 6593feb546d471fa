// Sends a load until the process is ended: node bench-neighbour.js URL LOAD
import autocannon from 'autocannon'
import { serveParent } from '../remote.ts'
import { NEIGHBOUR_LOADS } from './neighbour-loads.ts'

const FOREVER_S = 3_600
/** Without this limit, refused requests would be repeated so fast that the load itself would be measured. */
const REQUESTS_PER_S = 2_000
const REFUSED = 429

const [url = '', name = ''] = process.argv.slice(2)
const load = NEIGHBOUR_LOADS[name]
if (load === undefined) throw new Error(`no load is named ${name}`)
const { request, ...plan } = load
let [sent, responses, refused] = [0, 0, 0]

const run = autocannon(
  {
    url,
    duration: FOREVER_S,
    overallRate: REQUESTS_PER_S,
    ignoreCoordinatedOmission: true,
    ...plan,
    requests: [{ ...request(0), setupRequest: (given) => ({ ...given, ...request(++sent) }) }],
  },
  () => undefined,
)
run.on('response', (_client, status) => {
  responses++
  if (status === REFUSED) refused++
})

const functions = {
  count: () => ({ responses, refused }),
}
export type NeighbourFunctions = typeof functions

serveParent(functions)
process.on('disconnect', () => process.exit())
