import { expect } from 'chai'
import fc from 'fast-check'
import { normalizeImage } from '../../../common/api/image.ts'
import { isHopelessImagePattern, parseImagePattern } from '../../../common/policy/images.ts'
import { LAW } from '../../property.ts'

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

const allowed: readonly (readonly [pattern: string, image: string, isAllowed: boolean])[] = [
  ['docker.io/library/nginx', 'nginx', true],
  ['docker.io/library/nginx', 'nginx:1.27', true],
  ['docker.io/library/nginx', `nginx@${DIGEST}`, true],
  ['docker.io/library/nginx', 'nginx-evil', false],
  ['docker.io/library/nginx', 'bitnami/nginx', false],
  ['docker.io/library/nginx:latest', 'nginx', true],
  ['docker.io/library/nginx:1.*', 'nginx:1.27', true],
  ['docker.io/library/nginx:1.*', 'nginx:2.1.1', false],
  ['docker.io/library/nginx:1.*-*', 'nginx:1.27-alpine', true],
  ['docker.io/library/nginx:1.*1', 'nginx:1.1', true],
  ['docker.io/library/nginx:1.1*1', 'nginx:1.1', false],
  ['docker.io/library/*', 'nginx', true],
  ['docker.io/library/*', 'bitnami/redis', false],
  // on Docker Hub a path of one segment is an official image, in images and in patterns
  ['docker.io/nginx', 'nginx', true],
  ['docker.io/nginx', 'docker.io/nginx:1', true],
  ['docker.io/nginx', 'docker.io/library/nginx', true],
  ['docker.io/nginx', 'bitnami/nginx', false],
  ['docker.io/nginx', 'registry.example/nginx', false],
  ['docker.io/nginx:*', 'nginx', true],
  ['docker.io/nginx:*', `nginx@${DIGEST}`, false],
  ['docker.io/nginx:1.*', 'nginx:2', false],
  ['docker.io/nginx@sha256:*', `nginx@${DIGEST}`, true],
  ['docker.io/ng*', 'nginx', true],
  ['docker.io/*', 'nginx', true],
  ['docker.io/*', 'docker.io/library/nginx', true],
  ['docker.io/*', 'bitnami/redis', false],
  ['docker.io/**', 'nginx', true],
  ['docker.io/**', 'bitnami/redis', true],
  ['docker.io/**', 'registry.example/cart', false],
  ['docker.io/library', 'library', true],
  ['docker.io/library', 'nginx', false],
  ['index.docker.io/library/nginx', 'nginx', true],
  ['index.docker.io/nginx', 'nginx', true],
  ['index.docker.io/nginx', 'index.docker.io/nginx', true],
  ['index.docker.io/bitnami/*', 'bitnami/redis', true],
  ['index.docker.io/**', 'docker.io/bitnami/redis', true],
  ['registry.example/nginx', 'registry.example/nginx', true],
  ['registry.example/nginx', 'registry.example/library/nginx', false],
  ['registry.example/*', 'registry.example/nginx', true],
  ['docker.io:443/nginx', 'nginx', false],
  ['registry.example/shop/*', 'registry.example/shop/cart:1', true],
  ['registry.example/shop/*', 'registry.example/shop/a/cart', false],
  ['registry.example/shop/**', 'registry.example/shop/a/b/cart', true],
  ['registry.example/shop/**', 'registry.example/shop', false],
  ['registry.example/shop/**', 'registry.example/shopping/cart', false],
  ['registry.example/**/cart', 'registry.example/a/b/cart', true],
  ['registry.example/**/cart', 'registry.example/cart', false],
  ['registry.example/shop/cart-*', 'registry.example/shop/cart-v2', true],
  ['registry.example/shop/cart-*', 'registry.example/shop/cart-v2/x', false],
  ['registry.example/**', 'registry.example.evil.com/cart', false],
  ['registry.example/**', 'evil.com/registry.example/cart', false],
  ['registry.example/**', 'registry-example/cart', false],
  ['registry.example/**', 'registryxexample/cart', false],
  ['registry.example/**', 'registry.example:5000/cart', false],
  ['registry.example/**', 'REGISTRY.example/cart', false],
  ['registry.example:5000/**', 'registry.example:5000/cart', true],
  ['localhost/**', 'localhost/cart', true],
  // container runtimes ignore the tag of an image that has a digest
  ['registry.example/cart:1.*', `registry.example/cart:1.0@${DIGEST}`, false],
  ['registry.example/cart', `registry.example/cart:1.0@${DIGEST}`, true],
  ['registry.example/cart@sha256:*', `registry.example/cart:1.0@${DIGEST}`, true],
  ['registry.example/cart@sha256:*', 'registry.example/cart:1.0', false],
  [`registry.example/cart@${DIGEST}`, `registry.example/cart@${DIGEST}`, true],
  [`registry.example/cart@${DIGEST}`, `registry.example/cart@${DIGEST.replace('0', '1')}`, false],
  ['registry.example/**', 'registry.example/../cart', false],
]

const broken = [
  '',
  // a host is required: without it `registry/**` would mean Docker Hub
  'nginx',
  'nginx:*',
  'library/nginx',
  '*',
  '**',
  '*/cart',
  '*.example/cart',
  'registry.*/cart',
  'registry.example',
  'registry.example/',
  'registry.example//cart',
  'registry.example/{a,b}',
  'registry.example/cart:',
  'registry.example/cart@',
  'https://registry.example/cart',
  `registry.example/${'a'.repeat(256)}`,
]

describe('parseImagePattern', () => {
  for (const [pattern, image, isAllowed] of allowed)
    it(`${pattern} ${isAllowed ? 'allows' : 'does not allow'} ${image}`, () =>
      expect(parseImagePattern(pattern)?.(image)).to.equal(isAllowed))

  for (const pattern of broken)
    it(`${JSON.stringify(pattern.slice(0, 60))} is not a pattern`, () =>
      expect(parseImagePattern(pattern)).to.equal(undefined))

  it('never throws, and never allows an image of another host', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc
        .array(fc.constantFrom('r.example', '/', 'a', '*', '**', ':', '@', '.', '1'), { maxLength: 10 })
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, text, (pattern, image) => {
        const isAllowed = parseImagePattern(pattern)?.(image) ?? false
        if (isAllowed) expect(normalizeImage(image)?.split('/')[0]).to.equal(pattern.split('/')[0])
      }),
      LAW,
    )
  })
})

describe('S10: isHopelessImagePattern', () => {
  const possible = [
    'r.example/a',
    'r.example/*/b-*:v1.*',
    'docker.io/**',
    'r.example/a@sha256:*',
    'r.example:5000/a__b:V1',
  ]
  const hopeless = [
    'r.example/A',
    'r.example/a*B',
    'r.example/a:.v1',
    'r.example/a@sha256:12',
    '-r.example/a',
    'r.example/-a',
  ]
  for (const pattern of possible)
    it(`S10: an image can match ${pattern}`, () => expect(isHopelessImagePattern(pattern)).to.equal(false))
  for (const pattern of hopeless)
    it(`S10: no image can match ${pattern}`, () => expect(isHopelessImagePattern(pattern)).to.equal(true))
})
