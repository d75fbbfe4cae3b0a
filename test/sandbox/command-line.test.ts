import { expect } from 'chai'
import { run } from '../../sandbox/run.ts'

/** The scripts that take arguments, and arguments that each of them refuses. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'sandbox/main.ts': ['--nonsense', 'nonsense'],
  'sandbox/demo.ts': ['--nonsense'],
  'test/corpus/main.ts': ['/nowhere/at-all'],
  'test/bench/main.ts': ['--nonsense'],
  'test/fuzz/main.ts': ['nonsense'],
}

describe('the arguments of the scripts', () => {
  for (const [script, refused] of Object.entries(SCRIPTS)) {
    const name = script.replace('/main.ts', '').replace('.ts', '').split('/').at(-1)
    const usage = `npm run ${name} [-- `

    it(`npm run ${name} -- --help only prints the usage`, async () => {
      const { code, stdout, stderr } = await run(process.execPath, [script, '--help'])
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout.startsWith(usage), stdout).to.equal(true)
    })

    for (const argument of refused)
      it(`npm run ${name} -- ${argument} says what is wrong, and the usage`, async () => {
        const { code, stdout, stderr } = await run(process.execPath, [script, argument])
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
        const [mistake, nothing, ...rest] = stderr.split('\n')
        expect(mistake).to.contain(argument)
        expect(nothing).to.equal('')
        expect(rest.join('\n').startsWith(usage), stderr).to.equal(true)
      })
  }
})
