// Writes the digests of the stack's images into .env, where they stay until the next run:
// - node scripts/docker/pin-images.mjs [.env]
// - If no registry has an image, its line stays and the exit code is 1.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'

const [file = fileURLToPath(new URL('../../.env', import.meta.url))] = process.argv.slice(2)
const stack = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8')
const defaults = new Map([...stack.matchAll(/\$\{([A-Z]+_IMAGE):-([^}]+)\}/g)].map(([, name, image]) => [name, image]))

const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
const given = parseEnv(before)
let text = before
for (const [name, image] of defaults) {
  const [tagged] = (given[name]?.trim() || image).split('@')
  try {
    const pinned = `${tagged}@${digestOf(tagged)}`
    text = withLine(text, name, pinned)
    console.log(`${name}=${pinned}`)
  } catch (error) {
    process.exitCode = 1
    console.error(`${name}: ${tagged} stays as it is: ${error.stderr?.trim() || error.message}`)
  }
}
if (text !== before) replace(file, text)

/** Returns a tag's digest, which covers all platforms. */
function digestOf(image) {
  docker('pull', '--quiet', image)
  const digests = JSON.parse(docker('image', 'inspect', '--format', '{{json .RepoDigests}}', image))
  const [repository] = image.split(/:[^/]*$/)
  // The same image may have come from several registries.
  const own = digests.find((entry) => entry.startsWith(`${repository}@`)) ?? digests[0]
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(own ?? '')?.[1]
  if (digest === undefined) throw new Error('no registry has it')
  return digest
}

function docker(...args) {
  return execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Replaces the variable's last line, or appends one. */
function withLine(text, name, value) {
  const lines = text.split('\n')
  const at = lines.findLastIndex((line) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(line))
  if (at >= 0) lines[at] = `${name}=${value}`
  else lines.splice(lines.at(-1) === '' ? -1 : lines.length, 0, `${name}=${value}`)
  return lines.join('\n')
}

/** Replaces the file in one step, keeping its mode. */
function replace(path, text) {
  const mode = existsSync(path) ? statSync(path).mode : 0o600
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}
