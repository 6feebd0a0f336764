/** Longest edge of what is sent, px: enough to read a name plate, small over a plant's radio. */
const LONGEST_PX = 1600;
const QUALITY = 0.85;

/**
 * A photo as JPEG with a longest edge of 1600 px, upright and without the camera's data.
 *
 * What the browser cannot decode goes as it is: the server says which formats it reads.
 */
export async function shrunk(file: File): Promise<Blob> {
  let picture: ImageBitmap;
  try {
    picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    return file;
  }
  const scale = Math.min(1, LONGEST_PX / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return await new Promise((done) => {
    canvas.toBlob((blob) => done(blob ?? file), 'image/jpeg', QUALITY);
  });
}
