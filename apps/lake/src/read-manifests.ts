import type { NetworkName } from '@dexfeed/dex'
import { dayOfManifest, type Manifest, manifestKey, manifestsOf, parseManifest } from './manifest.ts'
import type { ObjectStore } from './objects/object-store.ts'

/** Returns the valid manifests of a network in the order of their days. */
export async function readManifests(
  objects: Pick<ObjectStore, 'list' | 'getText'>,
  network: NetworkName,
): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  const keys = (await objects.list(manifestsOf(network))).map(({ key }) => key)
  for (const key of keys.sort()) {
    const day = dayOfManifest(key)
    if (day?.network !== network) continue
    const manifest = parseManifest((await objects.getText(manifestKey(day))) ?? '', day)
    if (manifest !== null) manifests.push(manifest)
  }
  return manifests
}
