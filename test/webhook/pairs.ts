import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Issue, issue } from '../../certs/issue.ts'
import type { CertificatePair } from '../../webhook/tls/server.ts'

/** A certificate for 127.0.0.1 that is valid now. */
export const aPair = (of: Partial<Issue> = {}) => issue({ names: ['127.0.0.1'], clock: () => new Date(), ...of })

/** The files of a served certificate. */
export interface Mounted {
  readonly certFile: string
  readonly keyFile: string
  /** Replaces both files at once, as kubelet does: it points the link `..data` to a new directory. */
  readonly swap: (pair: CertificatePair) => Promise<void>
  /** Writes one file in place, as an editor or `cp` does. */
  readonly write: (file: 'tls.crt' | 'tls.key', text: string) => void
  readonly remove: () => void
}

/** Writes `pair` to files as kubelet mounts a Secret. */
export async function mounted(pair: CertificatePair): Promise<Mounted> {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-tls-'))
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')]
  let swaps = 0
  const swap = async ({ cert, key }: CertificatePair) => {
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
