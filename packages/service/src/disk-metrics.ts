import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'

export function diskMetrics(registry: Registry, folders: Readonly<Record<string, string>>): void {
  const gauge = (name: string, help: string, sizeOf: (stats: StatsFs) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['folder'] as const,
      registers: [registry],
      async collect() {
        this.reset()
        for (const [folder, path] of Object.entries(folders)) {
          const stats = await statfs(path).catch(() => null)
          if (stats !== null) this.set({ folder }, sizeOf(stats))
        }
      },
    })
  gauge('dexfeed_disk_free_bytes', 'Free bytes of the disk that holds the folder.', (disk) => disk.bavail * disk.bsize)
  gauge('dexfeed_disk_bytes', 'Size of the disk that holds the folder.', (disk) => disk.blocks * disk.bsize)
}
