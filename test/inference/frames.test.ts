import { describe, expect, it } from 'vitest';
import { pictureAsUrl } from '../../lambdas/inference/pictures.ts';
import { framesOf } from '../../lambdas/inference/videos/frames.ts';
import { refusedLater } from '../support/refused.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(20)]).toString(
  'base64',
);
const urls = [
  'data:image/png;base64,',
  'data:image/jpg;base64,',
  'data:image/PNG;base64,',
  'DATA:image/png;BASE64,',
  'data:image/png;charset=utf-8;base64,',
  'data:application/octet-stream;base64,',
  'data:;base64,',
];

describe('a picture in a data URL', () => {
  it.each(urls)('has the media type of its bytes after %s', async (head) => {
    const url = `${head}${png}`;

    expect(await pictureAsUrl(url, 'image', undefined)).toBe(`data:image/png;base64,${png}`);
    const frame = { type: 'image_url' as const, frame_type: 'first_frame' as const, image_url: { url } };
    expect(await framesOf([frame], undefined)).toEqual([{ frame: 'first_frame', mediaType: 'image/png', base64: png }]);
  });

  it.each([
    'data:image/png,abcd',
    'data:image/png;base64,',
    'data:image/png;base64,@@@@',
    'data:image/png;base64,AAAA',
  ])('is refused with the name of its field: %s', async (url) => {
    const frame = { type: 'image_url' as const, frame_type: 'last_frame' as const, image_url: { url } };

    await expect(framesOf([frame], undefined)).rejects.toMatchObject({
      status: 400,
      metadata: { field: 'frame_images.0.image_url.url' },
    });
  });
});

describe('a picture at an address', () => {
  it.each(['https://10.0.0.1/a.png', 'ftp://pictures.example/a.png'])(
    'is refused without a list of media types if the address is the fault: %s',
    async (url) => {
      const { status, metadata } = await refusedLater(() => pictureAsUrl(url, 'image', undefined));

      expect(status).toBe(400);
      expect(metadata).not.toHaveProperty('allowed');
    },
  );

  it('is refused with the list of media types if its bytes are no picture', async () => {
    const { metadata } = await refusedLater(() => pictureAsUrl('data:image/png;base64,AAAA', 'image', undefined));

    expect(metadata['allowed']).toContain('image/png');
  });
});
