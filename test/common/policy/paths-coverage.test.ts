import { expect } from 'chai'
import fc from 'fast-check'
import { type OverridePath, type PathStep, parseOverridePath } from '../../../common/override/path.ts'
import { coverage } from '../../../common/policy/paths.ts'
import { LAW } from '../../property.ts'
import { item, key, steps } from '../override/steps.ts'

const covered = (pattern: OverridePath, path: readonly PathStep[]) => coverage([pattern])(path)

const matched: readonly (readonly [pattern: string, path: string, isCovered: boolean])[] = [
  ['template.spec.hostNetwork', 'template.spec.hostNetwork', true],
  ['template.spec', 'template.spec.hostNetwork', true],
  ['template.spec.hostNetwork', 'template.spec', false],
  ['template.spec.host', 'template.spec.hostNetwork', false],
  ['spec.hostNetwork', 'template.spec.hostNetwork', false],
  ['*', 'template.spec', true],
  ['*.spec', 'template.spec.a', true],
  ['*.spec', 'spec', false],
  ['*', '[a]', false],
  ['template.*', 'template[a]', false],
  ['**', 'template', true],
  ['**', '[a]', true],
  ['**.hostPath', 'hostPath', true],
  ['**.hostPath', 'template.spec.volumes[v].hostPath.path', true],
  ['**.hostPath', 'template.spec.volumes[v].secret', false],
  ['template.**.name', 'template.name', true],
  ['template.**.name', 'template.a.b[c].name', true],
  ['template.**.name', 'other.name', false],
  ['**.a.**.b', 'a.a.x.b', true],
  ['**.a.**.b', 'b.a', false],
  ['**.**', 'a', true],
  ['{a,b}.c', 'a.c', true],
  ['{a,b}.c', 'b.c', true],
  ['{a,b}.c', 'c.c', false],
  ['{a}', 'a', true],
  ['labels["a"]', 'labels.a', true],
  ['labels["a"]', 'labels.b', false],
  ['mounts["/data x"].readOnly', 'mounts[/data x].readOnly', true],
  ['containers[*].image', 'containers[cart].image', true],
  ['containers[*].image', 'containers[+cart].image', true],
  ['containers[*].image', 'containers[-cart].image', true],
  ['containers[*].image', 'containers.cart.image', false],
  ['containers[cart].image', 'containers[cart].image', true],
  ['containers[cart].image', 'containers[+cart].image', true],
  ['containers[cart].image', 'containers[carts].image', false],
  ['containers[cart]', 'containers.cart', false],
  ['containers[+]', 'containers[+cart].image', true],
  ['containers[+]', 'containers[cart].image', false],
  ['containers[+]', 'containers[-cart].image', false],
  ['containers[-]', 'containers[-cart].name', true],
  ['containers[-]', 'containers[+cart].name', false],
  ['args[0]', 'args[0]', true],
  ['args[0]', 'args[1]', false],
  ['ports[8080/TCP]', 'ports[8080/TCP]', true],
  ['mounts[/data]', 'mounts[/data]', true],
  [
    'template.spec.*[*].env[*].valueFrom.secretKeyRef',
    'template.spec.containers[a].env[b].valueFrom.secretKeyRef',
    true,
  ],
  [
    'template.spec.*[*].env[*].valueFrom.secretKeyRef',
    'template.spec.initContainers[a].env[+b].valueFrom.secretKeyRef.key',
    true,
  ],
  ['template.spec.*[*].env[*].valueFrom.secretKeyRef', 'template.spec.containers[a].env[b].valueFrom.fieldRef', false],
]

describe('coverage', () => {
  for (const [pattern, path, isCovered] of matched)
    it(`${pattern} ${isCovered ? 'covers' : 'does not cover'} ${path}`, () => {
      const parsed = parseOverridePath(pattern)
      expect(parsed && covered(parsed, steps(path)) !== undefined).to.equal(isCovered)
    })

  it('returns the number of steps to what the pattern covers, by the shortest match', () => {
    const depth = (pattern: string, path: string) => covered(parseOverridePath(pattern) ?? [], steps(path))
    expect(depth('a.b', 'a.b.c.d')).to.equal(2)
    expect(depth('**.b', 'a.b.b.b')).to.equal(2)
    expect(depth('**', 'a.b')).to.equal(0)
  })

  const aPattern = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc
      .array(fc.constantFrom('a', 'b', '.a', '.*', '.**', '[*]', '[+]', '[a]', '["a"]', '.{a,b}', '[', '"', '{'), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
  )
  const aStep = fc.constantFrom(
    key('a'),
    key('b'),
    key('__proto__'),
    item('a'),
    item('0', 'added'),
    item('', 'removed'),
  )

  it('gives the same answer as a search of every possible match', () =>
    fc.assert(
      fc.property(aPattern, fc.array(aStep, { maxLength: 8 }), (text, path) => {
        const pattern = parseOverridePath(text)
        if (!pattern) return
        const tried = (from: number, at: number): boolean => {
          const token = pattern[from]
          const step = path[at]
          if (token === undefined) return true
          if (token === 'many') return tried(from + 1, at) || (step !== undefined && tried(from, at + 1))
          return step !== undefined && token(step) && tried(from + 1, at + 1)
        }
        expect(covered(pattern, path) !== undefined).to.equal(tried(0, 0))
      }),
      LAW,
    ))

  it('continues from the steps that a path shares with the one before', () => {
    const [a, b, c] = [key('a'), key('b'), key('c')]
    const depth = coverage([parseOverridePath('a.b') ?? [], parseOverridePath('a.c.a') ?? []])
    expect(
      [
        [a, c, b],
        [a, c, a],
        [a, b, c],
        [b, b],
        [a, b],
      ].map(depth),
    ).to.deep.equal([undefined, 3, 2, undefined, 2])
  })

  it('gives the same answer whether or not paths share their first steps', () =>
    fc.assert(
      fc.property(fc.array(aPattern, { maxLength: 4 }), fc.array(fc.array(aStep, { maxLength: 6 })), (texts, paths) => {
        const patterns = texts.map((text) => parseOverridePath(text)).filter((pattern) => pattern !== undefined)
        const about = coverage(patterns)
        for (const path of paths) expect(about(path)).to.equal(coverage(patterns)(path.map((step) => ({ ...step }))))
      }),
    ))

  it('compares each step of a path at most once with each token of a pattern', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('**', 'a', '*'), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 60 }),
        (parts, length) => {
          let looks = 0
          const counting = (parseOverridePath([...parts, 'b'].join('.')) ?? []).map((token) =>
            token === 'many'
              ? token
              : (step: PathStep) => {
                  looks += 1
                  return token(step)
                },
          )
          covered(
            counting,
            Array.from({ length }, () => key('a')),
          )
          expect(looks).to.be.at.most(length * counting.length)
        },
      ),
      LAW,
    ))
})
