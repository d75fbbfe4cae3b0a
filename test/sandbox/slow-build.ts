/** `node slow-build.ts FOLDER`: builds a program in FOLDER/bin, which lasts until FOLDER/may-end exists. */
import { existsSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { argv, pid } from 'node:process'
import { buildMissing } from '../../sandbox/binaries.ts'
import { eventually } from '../../sandbox/eventually.ts'

const [folder = ''] = argv.slice(2)

async function build(_name: string, output: string): Promise<void> {
  await appendFile(join(folder, 'builders'), `${pid}\n`)
  await eventually('leave to end the build', 60_000, () => {
    if (!existsSync(join(folder, 'may-end'))) throw new Error('not yet')
  })
  await writeFile(output, `built by ${pid}`)
}

await buildMissing(join(folder, 'bin'), ['etcd'], { build, say: console.log })
