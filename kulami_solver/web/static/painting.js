// Paints an SVG picture as a PNG in the browser, where there is no server.

const SCALE = 4 / 3; // a square is as wide as in the server's pictures, 80 pixels

export async function painted(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * SCALE);
    canvas.height = Math.round(image.naturalHeight * SCALE);
    const brush = canvas.getContext("2d");
    brush.fillStyle = "white"; // behind the round corners, as in the server's pictures
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((found) => { canvas.toBlob(found, "image/png"); });
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
