// Compiles the contracts of this folder into artifacts/ and tick-scan.yul of packages/dex into tick-scan.json. Both are
// committed, so the compiler is not a dependency. Run it after a change, from any folder:
//   npx --yes --package solc@0.8.28 node packages/devnet/contracts/compile.mjs
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSION = '0.8.28'
const here = dirname(fileURLToPath(import.meta.url))
const solc = findSolc()
if (!solc.version().startsWith(`${VERSION}+`)) throw new Error(`solc is ${solc.version()}; it must be ${VERSION}`)

const sources = {}
for (const file of readdirSync(here).sort()) {
  if (file.endsWith('.sol')) sources[file] = { content: readFileSync(join(here, file), 'utf8') }
}
const solidity = compile('Solidity', sources, {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
})
mkdirSync(join(here, 'artifacts'), { recursive: true })
for (const [file, contracts] of Object.entries(solidity)) {
  for (const [name, { abi, evm }] of Object.entries(contracts)) {
    if (evm.bytecode.object === '') continue
    const artifact = {
      contractName: name,
      source: file,
      compiler: solc.version(),
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      // The deployed code of the other contracts differs by their immutables.
      ...(name === 'Multicall3' ? { deployedBytecode: `0x${evm.deployedBytecode.object}` } : {}),
    }
    writeFileSync(join(here, 'artifacts', `${name}.json`), `${JSON.stringify(artifact, null, 2)}\n`)
  }
}

const scan = join(here, '../../dex/src/tick-scan/tick-scan.yul')
const content = readFileSync(scan, 'utf8')
// All supported chains have the opcodes of Constantinople.
const yul = compile(
  'Yul',
  { 'tick-scan.yul': { content } },
  {
    evmVersion: 'constantinople',
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
  },
)
const bytecode = `0x${yul['tick-scan.yul'].TickScan.evm.bytecode.object}`
const artifact = { compiler: solc.version(), source: createHash('sha256').update(content).digest('hex'), bytecode }
writeFileSync(scan.replace(/yul$/, 'json'), `${JSON.stringify(artifact, null, 2)}\n`)

function compile(language, sources, settings) {
  const output = JSON.parse(solc.compile(JSON.stringify({ language, sources, settings })))
  for (const problem of output.errors ?? []) console.error(problem.formattedMessage)
  if (output.errors?.some(({ severity }) => severity === 'error')) process.exit(1)
  return output.contracts
}

/** npx puts the package's bin folder on PATH, but its modules cannot be resolved by name. */
function findSolc() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (!folder.endsWith(join('node_modules', '.bin'))) continue
    try {
      return createRequire(join(folder, 'x.js'))('solc')
    } catch {}
  }
  throw new Error('solc was not found; run this file through npx (see its first lines)')
}
