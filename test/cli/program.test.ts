import { expect } from 'chai'
import type { Io } from '../../cli/process/io.ts'
import { parsed, programOf } from '../../cli/program.ts'
import { aPlugin } from './a-plugin.ts'

const commands = () =>
  programOf({
    io: { out: () => undefined } as Partial<Io> as Io,
    connect: () => Promise.reject(),
    ended: () => undefined,
  }).commands

describe('the commands of the plugin', () => {
  it('are those of the guide', () =>
    expect(commands().map((each) => each.name())).to.deep.equal(
      'get status analysis create pause resume promote abort undo retry extend version doctor completion'.split(' '),
    ))

  it('each explain themselves in lines that fit, with an example', async () => {
    for (const { name } of commands().map((each) => ({ name: each.name() }))) {
      const { code, out } = await aPlugin().run(name, '--help')
      expect(code, name).to.equal(0)
      expect(out, name).to.match(new RegExp(`^Usage: kubectl experiment ${name}`))
      if (name !== 'version') expect(out, name).to.contain(`\nExamples:\n  kubectl experiment ${name}`)
    }
  })

  it('understand flags as kubectl writes them', () =>
    expect(['--watch=false', '--watch=true', '--analysis=a,b', '--analysis', 'get'].map(parsed)).to.deep.equal([
      ...['--no-watch', '--watch', '--analysis-templates=a,b', '--analysis', 'get'],
    ]))
})
