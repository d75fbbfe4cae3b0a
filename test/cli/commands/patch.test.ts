import { expect } from 'chai'
import { isRevision, patchOf } from '../../../cli/commands/patch.ts'
import { UID } from '../../builders.ts'
import { aViewOf, WHOLE_REVISION } from '../some-experiments.ts'

const COMMAND = '/metadata/annotations/experiment-controller.example.com~1command'
const view = aViewOf({ run: {} })

describe('the patch of a command', () => {
  it('tests what its author saw, and then gives the command', () =>
    expect(patchOf('resume', { view, hasAnnotations: true })).to.deep.equal([
      { op: 'test', path: '/metadata/uid', value: UID },
      { op: 'test', path: '/metadata/generation', value: 1 },
      { op: 'test', path: '/status/strategy/stepIndex', value: 1 },
      { op: 'test', path: '/status/strategy/revision', value: '0123456789' },
      { op: 'test', path: '/status/strategy/wholeRevision', value: WHOLE_REVISION },
      { op: 'add', path: COMMAND, value: 'resume step=2' },
    ]))

  for (const verb of ['pause', 'abort'] as const)
    it(`tests only the uid for ${verb}, which applies to any step`, () =>
      expect(patchOf(verb, { view, hasAnnotations: true })).to.deep.equal([
        { op: 'test', path: '/metadata/uid', value: UID },
        { op: 'add', path: COMMAND, value: verb },
      ]))

  it('names the whole revision for promote', () =>
    expect(patchOf('promote', { view, hasAnnotations: true }).at(-1)).to.deep.equal({
      ...{ op: 'add', path: COMMAND, value: `promote ${WHOLE_REVISION}` },
    }))

  it('names the short revision where the status has no other', () => {
    const { wholeRevision: _, ...run } = view.run ?? { stepIndex: 0, revision: '', isForward: true }
    expect(patchOf('promote', { view: { ...view, run }, hasAnnotations: true }).at(-1)?.value).to.equal(
      'promote 0123456789',
    )
  })

  it('adds the map of annotations where there is none: otherwise it would replace those of others', () =>
    expect(patchOf('abort', { view, hasAnnotations: false }).map(({ path }) => path)).to.deep.equal([
      '/metadata/uid',
      '/metadata/annotations',
      COMMAND,
    ]))
})

describe('a revision that a script means', () => {
  const run = { stepIndex: 1, revision: '0123456789', wholeRevision: WHOLE_REVISION, isForward: true }
  const cases: readonly (readonly [named: string, expected: boolean])[] = [
    [WHOLE_REVISION, true],
    [WHOLE_REVISION.slice(0, 10), true],
    [WHOLE_REVISION.slice(0, 9), false],
    ['0123456789', true],
    ['012345678', false],
    ['ffffffffff', false],
    ['', false],
  ]
  for (const [named, expected] of cases)
    it(`"${named}" is ${expected ? '' : 'not '}that of the run`, () =>
      expect(isRevision(named, run)).to.equal(expected))
})
