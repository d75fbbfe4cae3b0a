import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Issue, issue } from '../../certs/issue.ts'
import type { Pair } from '../../webhook/tls.ts'

/** A pair for 127.0.0.1, good now. */
export const aPair = (of: Partial<Issue> = {}) => issue({ names: ['127.0.0.1'], clock: () => new Date(), ...of })

/** Files that a webhook serves from. */
export interface Mounted {
  readonly certFile: string
  readonly keyFile: string
  /** Both files at once, as kubelet does it: a new directory, to which the link `..data` is swapped. */
  readonly swap: (pair: Pair) => Promise<void>
  /** One file in its place, as an editor or `cp` does it. */
  readonly write: (file: 'tls.crt' | 'tls.key', text: string) => void
  readonly remove: () => void
}

/** `pair` as kubelet mounts a Secret. */
export async function mounted(pair: Pair): Promise<Mounted> {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-tls-'))
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')]
  let swaps = 0
  const swap = async ({ cert, key }: Pair) => {
    const version = `..version-${++swaps}`
    await mkdir(join(directory, version))
    writeFileSync(join(directory, version, 'tls.crt'), cert)
    writeFileSync(join(directory, version, 'tls.key'), key)
    symlinkSync(version, join(directory, '..data_tmp'))
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'))
  }
  await swap(pair)
  for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(directory, name))
  return {
    certFile,
    keyFile,
    swap,
    write: (file, text) => writeFileSync(join(directory, file), text),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
